// SPDX-License-Identifier: Apache-2.0
// A chat template: the Jinja text beside a model that turns messages into its prompt.
//
// An interpreter of our own, made to print what Python's jinja2 prints in the environment that
// transformers sets up (immutable sandbox, trim_blocks, lstrip_blocks, loop controls, its own
// tojson), byte for byte: tests/program/test_render.py compares the two. Source of the language:
// the template designer documentation of Jinja 3.1. Left out, and refused when a template is
// loaded: inheritance, imports, recursive loops, `autoescape`, `do`, argument unpacking with *, and
// filters that no chat template needs. How it works is in internal/: jinja_lexer.h, jinja_parser.h,
// jinja_resolve_names.h, jinja_renderer.h.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace glint::text {

// Immutable; any number of threads may render at once.
class ChatTemplate {
 public:
  // What one rendering may take. Passing a limit is kInvalidArgument.
  static constexpr std::int64_t kMaxSourceBytes = 1'000'000;
  static constexpr std::int64_t kMaxSteps = 20'000'000;
  static constexpr std::int64_t kMaxLiveBytes = 256'000'000;  // held by values at one time
  static constexpr std::int64_t kMaxOutputBytes = 64'000'000;
  static constexpr int kMaxDepth = 400;  // of blocks, expressions and macro calls in one another

  // Fails with kInvalidArgument "WHERE: line 3: unknown filter 'x'" for bad syntax and for every
  // construct that it could not run: a tag, filter, test, function or method.
  static Result<std::unique_ptr<const ChatTemplate>> Parse(std::string_view source,
                                                           std::string_view where);
  virtual ~ChatTemplate() = default;

  // The text for `variables`, a JSON object with messages, tools, add_generation_prompt and so on;
  // a name that is missing is undefined. Fails with kInvalidArgument "WHERE: line 3: ..." where
  // Python would raise an exception, and for what the template refuses with raise_exception.
  [[nodiscard]] Result<std::string> Render(const Json& variables) const {
    return Render(variables, std::chrono::system_clock::now());
  }
  // With the time that strftime_now tells.
  [[nodiscard]] virtual Result<std::string> Render(
      const Json& variables, std::chrono::system_clock::time_point now) const = 0;

 protected:
  ChatTemplate() = default;
};

}  // namespace glint::text
