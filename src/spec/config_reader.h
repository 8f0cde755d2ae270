// SPDX-License-Identifier: Apache-2.0
// Typed reading of a JSON object of settings. The first problem is kept and every later read
// returns a harmless value, so that a parser reads straight through and checks once at the end.
// A message names file, key, value and limit: "config.json: num_hidden_layers is 0, must be 1 to
// 1024".
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace glint::spec {

using SpelledKeys = std::map<std::string, std::string, std::less<>>;

class ConfigReader {
 public:
  // `config` must outlive the reader. `where` is the file's name in messages. `spelled`, when
  // given, must too: how messages call a key that the file spells otherwise.
  ConfigReader(const Json& config, std::string where, const SpelledKeys* spelled = nullptr)
      : config_(config), where_(std::move(where)), spelled_(spelled) {}

  // Present and not null.
  [[nodiscard]] const Json* Find(std::string_view key) const;

  // Integers accept 8 and 8.0 (Python writes either). Outside [least, most]: a problem.
  std::int64_t Int(std::string_view key, std::int64_t least, std::int64_t most);
  std::int64_t IntOr(std::string_view key, std::int64_t absent, std::int64_t least,
                     std::int64_t most);
  // Finite and > 0.
  double Positive(std::string_view key);
  double PositiveOr(std::string_view key, double absent);
  bool BoolOr(std::string_view key, bool absent);
  // Absent, null or exactly `only`; anything else is a problem that says what is supported.
  void RequireIfPresent(std::string_view key, std::string_view only);

  void Problem(std::string message);  // without the file's name; later ones are dropped
  [[nodiscard]] Status Finish() const;
  [[nodiscard]] const std::string& where() const { return where_; }

 private:
  const Json* Required(std::string_view key);
  std::int64_t ReadInt(std::string_view key, const Json& value, std::int64_t least,
                       std::int64_t most);
  double ReadPositive(std::string_view key, const Json& value);

  [[nodiscard]] std::string_view Spelled(std::string_view key) const;

  const Json& config_;
  std::string where_;
  const SpelledKeys* spelled_;
  std::optional<Error> problem_;
};

}  // namespace glint::spec
