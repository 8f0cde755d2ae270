// SPDX-License-Identifier: Apache-2.0
// The text of one argument to a JSON value, in pieces as it comes.
#pragma once

#include <string>
#include <string_view>

#include "text/internal/schema_type.h"

namespace glint::text {

// Strings come out as their text comes in; what may be another type only when it is complete.
class ArgumentWriter {
 public:
  // `strip_newlines`: one newline at each end of the text is not part of the value.
  ArgumentWriter(ArgumentType type, bool strip_newlines)
      : type_(type), strip_newlines_(strip_newlines) {}

  // The next piece of JSON for the next piece of text, which is UTF-8; may be empty.
  std::string Push(std::string_view text);

  // The rest. All pieces together are one JSON value, wherever the text ended.
  std::string Finish();

 private:
  std::string Write(std::string_view text);

  ArgumentType type_;
  bool strip_newlines_;
  bool at_start_ = true;
  bool newline_waits_ = false;
  bool quoted_ = false;  // the opening quotation mark is out
  std::string waiting_;  // text whose type is not decided
};

}  // namespace glint::text
