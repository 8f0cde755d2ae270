// SPDX-License-Identifier: Apache-2.0
#include "plan/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <utility>

#include "base/format.h"
#include "base/utf8.h"

namespace glint::plan {
namespace {

using Kind = YamlNode::Kind;

// Builds the tree. Throws a YAML exception for what we refuse, as the parser does for what it
// refuses: ParseYaml catches both.
class TreeBuilder : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Place(mark, "", anchor, {.kind = Kind::kNull});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    throw YAML::ParserException(mark, "aliases are not allowed");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Place(mark, tag, anchor, {.kind = Kind::kScalar, .text = value});
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Place(mark, tag, anchor, {.kind = Kind::kSequence});
    Descend(mark);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Place(mark, tag, anchor, {.kind = Kind::kMapping});
    Descend(mark);
  }
  void OnMapEnd() override { open_.pop_back(); }

  YamlNode Take() { return std::move(root_); }

 private:
  // A path instead of pointers: vectors move their elements as they grow.
  struct Level {
    std::optional<std::string> key;  // of a mapping: read, its value is next
  };

  YamlNode& Current() {
    YamlNode* node = &root_;
    for (std::size_t i = 1; i < open_.size(); ++i) {
      node = node->kind == Kind::kMapping ? &node->members.back().value : &node->items.back();
    }
    return *node;
  }

  void Place(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
             YamlNode value) {
    // "!" marks a quoted scalar, "?" a plain value.
    if (anchor != 0 || !(tag.empty() || tag == "?" || tag == "!")) {
      throw YAML::ParserException(mark, "anchors and tags are not allowed");
    }
    value.line = mark.line + 1;
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    YamlNode& parent = Current();
    if (parent.kind == Kind::kSequence) {
      parent.items.push_back(std::move(value));
      return;
    }
    std::optional<std::string>& key = open_.back().key;
    if (key) {
      parent.members.push_back({std::move(*key), std::move(value)});
      key.reset();
      return;
    }
    if (value.kind != Kind::kScalar) throw YAML::ParserException(mark, "a key must be a word");
    const bool repeated = std::any_of(parent.members.begin(), parent.members.end(),
                                      [&](const auto& m) { return m.key == value.text; });
    if (repeated) throw YAML::ParserException(mark, "key " + Quoted(value.text) + " stands twice");
    if (parent.members.size() >= kMaxKeys) throw YAML::ParserException(mark, "too many keys");
    key = std::move(value.text);
  }

  void Descend(const YAML::Mark& mark) {
    if (open_.size() >= kMaxYamlDepth) throw YAML::ParserException(mark, "nested too deep");
    open_.emplace_back();
  }

  static constexpr std::size_t kMaxKeys = 10'000;  // of one mapping: the search is linear

  YamlNode root_;
  std::vector<Level> open_;
};

const char* KindName(Kind kind) {
  switch (kind) {
    case Kind::kNull:
      return "empty";
    case Kind::kScalar:
      return "a single value";
    case Kind::kSequence:
      return "a list";
    case Kind::kMapping:
      return "a mapping";
  }
  return "?";
}

bool IsDate(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-dd";
  if (text.size() != 7 && text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kShape[i] == 'd' ? !digit : text[i] != '-') return false;
  }
  const auto two = [&](std::size_t at) { return 10 * (text[at] - '0') + (text[at + 1] - '0'); };
  const bool month = two(5) >= 1 && two(5) <= 12;
  return month && (text.size() == 7 || (two(8) >= 1 && two(8) <= 31));
}

}  // namespace

Result<YamlNode> ParseYaml(std::string_view text, std::string_view file) {
  if (text.size() > kMaxYamlBytes) {
    return InvalidArgument(
        format("{}: {} bytes, at most {} are read", file, text.size(), kMaxYamlBytes));
  }
  if (!IsUtf8(text) || text.find('\0') != std::string_view::npos) {
    return InvalidArgument(format("{}: not UTF-8 text", file));
  }
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    TreeBuilder builder;
    if (!parser.HandleNextDocument(builder)) return YamlNode{};
    TreeBuilder second;
    if (parser.HandleNextDocument(second)) {
      return InvalidArgument(format("{}: more than one document", file));
    }
    return builder.Take();
  } catch (const YAML::Exception& error) {
    return InvalidArgument(format("{}:{}: {}", file, error.mark.line + 1, error.msg));
  } catch (const std::exception& error) {
    return InvalidArgument(format("{}: {}", file, error.what()));
  }
}

std::optional<double> ParseNumber(std::string_view text) {
  double value = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = stop == text.data() + text.size();
  if (failure != std::errc() || !whole || !std::isfinite(value)) return std::nullopt;
  return value;
}

YamlMapping::YamlMapping(const YamlNode& node, std::string_view file) : node_(node), file_(file) {
  if (node.kind != Kind::kMapping) {
    error_ = InvalidArgument(
        format("{}:{}: {}, must be a mapping", file, node.line, KindName(node.kind)));
  }
}

void YamlMapping::Fail(std::string_view key, std::string_view problem) {
  int line = node_.line;
  for (const auto& [name, value] : node_.members) {
    if (name == key) line = value.line;
  }
  Fail(InvalidArgument(format("{}:{}: {} {}", file_, line, Quoted(key), problem)));
}

void YamlMapping::Fail(Error error) {
  if (!error_) error_ = std::move(error);
}

const YamlNode* YamlMapping::Take(std::string_view key, Kind kind, bool required) {
  read_.emplace(key);
  for (const auto& [name, value] : node_.members) {
    if (name != key) continue;
    if (value.kind == kind) return &value;
    Fail(key, format("is {}, must be {}", KindName(value.kind), KindName(kind)));
    return nullptr;
  }
  if (required) Fail(key, "is missing");
  return nullptr;
}

std::string YamlMapping::Text(std::string_view key) {
  const YamlNode* value = Take(key, Kind::kScalar, true);
  if (value == nullptr) return "";
  if (value->text.empty()) Fail(key, "is empty");
  return value->text;
}

std::string YamlMapping::OptionalText(std::string_view key) {
  const YamlNode* value = Take(key, Kind::kScalar, false);
  return value == nullptr ? "" : value->text;
}

double YamlMapping::ToNumber(std::string_view key, const YamlNode& value, NumberRange range) {
  const std::optional<double> number = ParseNumber(value.text);
  if (!number) {
    Fail(key, format("is {}, must be a number", Quoted(value.text)));
    return range.most;
  }
  const bool low = range.open ? *number <= range.least : *number < range.least;
  if (low || *number > range.most) {
    Fail(key, format("is {}, must be {} {} and at most {}", Quoted(value.text),
                     range.open ? "above" : "at least", range.least, range.most));
  }
  return *number;
}

double YamlMapping::Number(std::string_view key, NumberRange range) {
  const YamlNode* value = Take(key, Kind::kScalar, true);
  return value == nullptr ? range.most : ToNumber(key, *value, range);
}

std::optional<double> YamlMapping::OptionalNumber(std::string_view key, NumberRange range) {
  const YamlNode* value = Take(key, Kind::kScalar, false);
  if (value == nullptr) return std::nullopt;
  return ToNumber(key, *value, range);
}

std::int64_t YamlMapping::Count(std::string_view key, std::int64_t most) {
  const double value = Number(key, {.least = 1, .most = static_cast<double>(most)});
  if (value != std::floor(value)) Fail(key, "must be a whole number");
  return failed() ? 1 : static_cast<std::int64_t>(value);
}

std::string YamlMapping::Date(std::string_view key) {
  std::string text = Text(key);
  if (!failed() && !IsDate(text)) {
    Fail(key, format("is {}, must be YYYY-MM or YYYY-MM-DD", Quoted(text)));
  }
  return text;
}

const YamlNode* YamlMapping::Sequence(std::string_view key, bool required) {
  return Take(key, Kind::kSequence, required);
}

const YamlNode* YamlMapping::Mapping(std::string_view key, bool required) {
  return Take(key, Kind::kMapping, required);
}

Status YamlMapping::Finish() {
  if (error_) return *error_;
  for (const auto& [name, value] : node_.members) {
    if (read_.contains(name)) continue;
    return InvalidArgument(format("{}:{}: unknown key {}; known here: {}", file_, value.line,
                                  Quoted(name), fmt::join(read_, ", ")));
  }
  return Ok();
}

}  // namespace glint::plan
