// SPDX-License-Identifier: Apache-2.0
#include "spec/config_reader.h"

#include <cmath>

#include "base/format.h"

namespace glint::spec {
namespace {

std::string Shown(const Json& value) {
  const std::string text = value.Write();
  if (text.size() > 60) return value.TypeName();
  const std::string safe = Quoted(text);
  return safe.substr(1, safe.size() - 2);
}

std::optional<std::int64_t> WholeNumber(const Json& value) {
  if (const auto whole = value.AsInt()) return whole;
  const auto real = value.AsDouble();
  if (!real || *real != std::floor(*real) || std::abs(*real) > 9007199254740992.0) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*real);
}

}  // namespace

const Json* ConfigReader::Find(std::string_view key) const {
  const Json* value = config_.Find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

std::string_view ConfigReader::Spelled(std::string_view key) const {
  if (spelled_ == nullptr) return key;
  const auto found = spelled_->find(key);
  return found == spelled_->end() ? key : std::string_view(found->second);
}

const Json* ConfigReader::Required(std::string_view key) {
  const Json* value = Find(key);
  if (value == nullptr) Problem(format("{} is missing", Spelled(key)));
  return value;
}

std::int64_t ConfigReader::ReadInt(std::string_view key, const Json& value, std::int64_t least,
                                   std::int64_t most) {
  const auto whole = WholeNumber(value);
  if (!whole) {
    Problem(format("{} is {}, must be an integer", Spelled(key), Shown(value)));
    return least;
  }
  if (*whole < least || *whole > most) {
    Problem(format("{} is {}, must be {} to {}", Spelled(key), *whole, least, most));
    return least;
  }
  return *whole;
}

std::int64_t ConfigReader::Int(std::string_view key, std::int64_t least, std::int64_t most) {
  const Json* value = Required(key);
  return value == nullptr ? least : ReadInt(key, *value, least, most);
}

std::int64_t ConfigReader::IntOr(std::string_view key, std::int64_t absent, std::int64_t least,
                                 std::int64_t most) {
  const Json* value = Find(key);
  return value == nullptr ? absent : ReadInt(key, *value, least, most);
}

double ConfigReader::ReadPositive(std::string_view key, const Json& value) {
  const auto real = value.AsDouble();
  if (!real || *real <= 0) {
    Problem(format("{} is {}, must be a number above 0", Spelled(key), Shown(value)));
    return 1;
  }
  return *real;
}

double ConfigReader::Positive(std::string_view key) {
  const Json* value = Required(key);
  return value == nullptr ? 1 : ReadPositive(key, *value);
}

double ConfigReader::PositiveOr(std::string_view key, double absent) {
  const Json* value = Find(key);
  return value == nullptr ? absent : ReadPositive(key, *value);
}

bool ConfigReader::BoolOr(std::string_view key, bool absent) {
  const Json* value = Find(key);
  if (value == nullptr) return absent;
  if (const bool* boolean = value->boolean()) return *boolean;
  Problem(format("{} is {}, must be true or false", Spelled(key), Shown(*value)));
  return absent;
}

void ConfigReader::RequireIfPresent(std::string_view key, std::string_view only) {
  const Json* value = Find(key);
  if (value == nullptr) return;
  const std::string* text = value->string();
  if (text == nullptr || *text != only) {
    Problem(format("{} is {}, only \"{}\" is supported", Spelled(key), Shown(*value), only));
  }
}

void ConfigReader::Problem(std::string message) {
  if (!problem_) problem_ = InvalidArgument(where_ + ": " + std::move(message));
}

Status ConfigReader::Finish() const {
  if (problem_) return *problem_;
  return Ok();
}

}  // namespace glint::spec
