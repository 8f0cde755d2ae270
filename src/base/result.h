// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value, or an Error that says in one sentence what was wrong with the outside world.
//
// For input from outside (files, requests, flags) and for lack of room. A bug in our own code is
// not an Error but a failed GLINT_CHECK (base/check.h). Nothing in glint throws.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace glint {

// What kind of failure, which decides who acts: the first three are the client's or operator's,
// the last three are the engine's (shed, retry, free). HTTP status codes stand in one table in
// server/.
enum class ErrorCode {
  kInvalidArgument,    // a value that can never work
  kNotFound,           // a named thing does not exist
  kDataLoss,           // a file is truncated, damaged or inconsistent
  kResourceExhausted,  // no room: memory, pages, queue
  kUnavailable,        // a peer or device does not answer now
  kCancelled,          // whoever asked has gone away
};

// "invalid argument", "not found", ... ; for logs.
const char* ErrorCodeName(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kInvalidArgument;
  std::string message;  // names the value, the limit and the file; no trailing period
};

inline Error InvalidArgument(std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message)};
}
inline Error NotFound(std::string message) { return {ErrorCode::kNotFound, std::move(message)}; }
inline Error DataLoss(std::string message) { return {ErrorCode::kDataLoss, std::move(message)}; }
inline Error ResourceExhausted(std::string message) {
  return {ErrorCode::kResourceExhausted, std::move(message)};
}
inline Error Unavailable(std::string message) {
  return {ErrorCode::kUnavailable, std::move(message)};
}
inline Error Cancelled(std::string message) { return {ErrorCode::kCancelled, std::move(message)}; }

// `value()` on an error, and `error()` on a value, is a bug and ends the process.
template <typename T>
class [[nodiscard]] Result {
 public:
  // Implicit on purpose, so that a function can `return value;` and `return NotFound(...);`.
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return std::holds_alternative<T>(state_); }

  [[nodiscard]] const T& value() const& {
    GLINT_CHECK(ok(), error().message);
    return *std::get_if<T>(&state_);
  }
  [[nodiscard]] T& value() & {
    GLINT_CHECK(ok(), error().message);
    return *std::get_if<T>(&state_);
  }
  [[nodiscard]] T&& value() && {
    GLINT_CHECK(ok(), error().message);
    return std::move(*std::get_if<T>(&state_));
  }
  [[nodiscard]] const Error& error() const {
    const Error* error = std::get_if<Error>(&state_);
    GLINT_CHECK(error != nullptr, "error() of a Result that holds a value");
    return *error;
  }

 private:
  std::variant<T, Error> state_;
};

// Success without a value: `return Ok();`.
using Status = Result<std::monostate>;
inline Status Ok() { return std::monostate{}; }

}  // namespace glint

// Evaluates a Status expression and returns its error from the enclosing function, if it has one.
#define GLINT_TRY(expression)                                   \
  do {                                                          \
    if (auto glint_status = (expression); !glint_status.ok()) { \
      return glint_status.error();                              \
    }                                                           \
  } while (false)

#define GLINT_CONCAT_INNER(a, b) a##b
#define GLINT_CONCAT(a, b) GLINT_CONCAT_INNER(a, b)
// NOLINTBEGIN(bugprone-macro-parentheses): a name and a declaration cannot stand in parentheses
#define GLINT_ASSIGN_INNER(result, target, expression) \
  auto result = (expression);                          \
  if (!result.ok()) return result.error();             \
  target = std::move(result).value()
// NOLINTEND(bugprone-macro-parentheses)

// GLINT_ASSIGN(auto file, Open(path)); takes the value, or returns the error.
#define GLINT_ASSIGN(target, expression) \
  GLINT_ASSIGN_INNER(GLINT_CONCAT(glint_result_, __LINE__), target, expression)
