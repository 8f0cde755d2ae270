// SPDX-License-Identifier: Apache-2.0
// nlohmann-json's SAX parser feeding our value type. The only file that sees that library.
#include <nlohmann/json.hpp>

#include "base/format.h"
#include "base/json.h"

namespace glint {
namespace {

// Receives SAX events. Returning false stops the parser; then `failure` says why.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(JsonLimits limits) : limits_(limits) {}

  bool null() override { return Put(Json()); }
  bool boolean(bool value) override { return Put(Json(value)); }
  bool number_integer(number_integer_t value) override {
    // The library hands "-0" over as the integer 0; every other negative keeps its value.
    if (value == 0) return Put(Json(Json::Number{"-0"}));
    return Put(Json(static_cast<std::int64_t>(value)));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return Put(Json(static_cast<std::uint64_t>(value)));
  }
  bool number_float(number_float_t /*value*/, const string_t& text) override {
    return Put(Json(Json::Number{text}));
  }
  bool string(string_t& value) override { return Put(Json(std::move(value))); }
  bool binary(binary_t& /*value*/) override { return false; }  // not in JSON text
  bool start_object(std::size_t /*size*/) override { return Open(Json(Json::Object{})); }
  bool key(string_t& value) override {
    open_.back().key = std::move(value);
    return true;
  }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t /*size*/) override { return Open(Json(Json::Array{})); }
  bool end_array() override { return Close(); }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    // The library's text is "[json.exception.parse_error.101] parse error at ...: REASON".
    const std::string what = error.what();
    const std::size_t reason = what.find(": ");
    failure_ = format("invalid JSON at byte {}: {}", position,
                      Quoted(reason == std::string::npos ? what : what.substr(reason + 2), 200));
    return false;
  }

  [[nodiscard]] const std::string& failure() const { return failure_; }
  Json Take() { return std::move(root_); }

 private:
  struct Level {
    Json container;
    std::string key;  // of the member whose value comes next
  };

  bool Open(Json container) {
    if (static_cast<int>(open_.size()) >= limits_.depth) {
      failure_ = format("JSON nested deeper than {} levels", limits_.depth);
      return false;
    }
    if (!Count()) return false;
    open_.push_back({std::move(container), {}});
    return true;
  }

  bool Close() {
    Json done = std::move(open_.back().container);
    open_.pop_back();
    return Store(std::move(done));
  }

  bool Put(Json value) { return Count() && Store(std::move(value)); }

  bool Count() {
    if (++values_ <= limits_.values) return true;
    failure_ = format("JSON holds more than {} values", limits_.values);
    return false;
  }

  bool Store(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Level& level = open_.back();
    if (level.container.object() != nullptr) {
      level.container.Add(std::move(level.key), std::move(value));
    } else {
      level.container.Append(std::move(value));
    }
    return true;
  }

  JsonLimits limits_;
  std::size_t values_ = 0;
  std::vector<Level> open_;
  Json root_;
  std::string failure_;
};

}  // namespace

Result<Json> ParseJson(std::string_view text, std::string_view where, JsonLimits limits) {
  // The library takes a NUL byte for the end of the text and does not look behind it.
  if (const std::size_t at = text.find('\0'); at != std::string_view::npos) {
    return InvalidArgument(format("{}: invalid JSON at byte {}: a NUL", where, at));
  }
  Builder builder(limits);
  const bool parsed = nlohmann::json::sax_parse(text.begin(), text.end(), &builder,
                                                nlohmann::json::input_format_t::json,
                                                /*strict=*/true);
  if (!parsed) return InvalidArgument(format("{}: {}", where, builder.failure()));
  return builder.Take();
}

}  // namespace glint
