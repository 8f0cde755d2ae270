// SPDX-License-Identifier: Apache-2.0
// A YAML text as a tree that keeps line numbers, and a reader of its mappings that is strict:
// unknown, missing and repeated keys and values outside their range are errors that name file, line
// and key.
//
// One document of mappings, sequences and scalars. Anchors, aliases and tags are refused: a price
// book needs none, and they let a small file become a large tree. Underneath: yaml-cpp, seen by
// yaml_tree.cc alone.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glint::plan {

struct YamlMember;

struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMapping };
  Kind kind = Kind::kNull;
  int line = 0;                     // 1-based
  std::string text;                 // of a scalar
  std::vector<YamlNode> items;      // of a sequence
  std::vector<YamlMember> members;  // of a mapping, keys unique
};

struct YamlMember {
  std::string key;
  YamlNode value;
};

// Limits on what a file may hold.
inline constexpr std::size_t kMaxYamlBytes = 16U << 20;
inline constexpr int kMaxYamlDepth = 32;

// `file` starts every message: "prices.yaml:12: ...". Fails with kInvalidArgument. An empty text is
// a null node.
Result<YamlNode> ParseYaml(std::string_view text, std::string_view file);

// The range that a number must be in. The defaults allow every price, power and rate that can be
// real and keep products of a few of them far from overflow.
struct NumberRange {
  double least = 0;
  double most = 1e12;
  bool open = false;  // `least` itself is not allowed
};
inline constexpr NumberRange kPositive{.open = true};
inline constexpr NumberRange kZeroOrMore{};

// "0.25" -> 0.25: all of `text` a finite decimal number, nothing else.
std::optional<double> ParseNumber(std::string_view text);

// Reads one mapping. The first failure is kept: read all fields, then ask Finish once. Values read
// after a failure are defaults. Borrows `node` and `file`.
class YamlMapping {
 public:
  YamlMapping(const YamlNode& node, std::string_view file);

  std::string Text(std::string_view key);          // required, not empty
  std::string OptionalText(std::string_view key);  // "" when absent
  double Number(std::string_view key, NumberRange range);
  std::optional<double> OptionalNumber(std::string_view key, NumberRange range);
  std::int64_t Count(std::string_view key, std::int64_t most = 1'000'000'000);  // 1 or more
  // YYYY-MM or YYYY-MM-DD.
  std::string Date(std::string_view key);
  // The sequence or mapping at `key`; nullptr when absent (an error when `required`).
  const YamlNode* Sequence(std::string_view key, bool required);
  const YamlNode* Mapping(std::string_view key, bool required);

  // Records a failure about `key` unless there is one already.
  void Fail(std::string_view key, std::string_view problem);
  void Fail(Error error);
  [[nodiscard]] bool failed() const { return error_.has_value(); }
  // The first failure; else a key that nothing read; else Ok.
  Status Finish();

 private:
  const YamlNode* Take(std::string_view key, YamlNode::Kind kind, bool required);
  double ToNumber(std::string_view key, const YamlNode& value, NumberRange range);

  const YamlNode& node_;
  std::string_view file_;
  std::set<std::string, std::less<>> read_;
  std::optional<Error> error_;
};

}  // namespace glint::plan
