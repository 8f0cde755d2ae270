// SPDX-License-Identifier: Apache-2.0
// Typed fields of a request's JSON object, each checked against its range. The first fault is kept,
// as a sentence that names field, value and limit, and the field's name for the error's `param`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace glint::api {

// A request that cannot be served: what becomes the OpenAI error body.
struct RequestFault {
  std::string message;
  std::string param;  // the field; empty when it is not one field's fault
};

// `object` must outlive the reader. A field that is null counts as absent, as clients send it.
class FieldReader {
 public:
  explicit FieldReader(const Json& object) : object_(object) {}

  std::optional<std::string> Text(std::string_view name);
  std::optional<bool> Boolean(std::string_view name);
  std::optional<std::int64_t> Integer(std::string_view name, std::int64_t least, std::int64_t most);
  std::optional<double> Number(std::string_view name, double least, double most);
  // A string, or an array of at most `most` strings; none may be empty.
  std::vector<std::string> Texts(std::string_view name, std::size_t most);
  // Any value, null when absent.
  [[nodiscard]] const Json* Find(std::string_view name) const;

  void Require(std::string_view name);
  void Fail(std::string_view name, std::string message);

  [[nodiscard]] const std::optional<RequestFault>& fault() const { return fault_; }

 private:
  void WrongType(std::string_view name, const Json& value, std::string_view wanted);

  const Json& object_;
  std::optional<RequestFault> fault_;
};

}  // namespace glint::api
