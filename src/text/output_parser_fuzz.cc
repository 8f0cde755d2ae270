// SPDX-License-Identifier: Apache-2.0
// Whatever a model writes, calls have declared names and arguments that parse. The first byte of
// the input holds the options; of the others, each is a token: below 0xE0 that byte, else an added
// one.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/json.h"
#include "base/utf8.h"
#include "text/output_parser.h"
#include "text/test_tokenizer.h"

namespace {

using glint::text::OutputEvent;

// Follows the events of one output.
class Watcher {
 public:
  void See(const std::vector<OutputEvent>& events) {
    for (const OutputEvent& event : events) {
      GLINT_CHECK(glint::IsUtf8(event.text), "text is UTF-8");
      if (event.kind == OutputEvent::kToolCallBegin) {
        GLINT_CHECK(!open_ && (event.name == "f" || event.name == "g"), "a declared name");
        GLINT_CHECK(event.call_index == calls_, "calls are counted");
        open_ = true;
        arguments_.clear();
        ++calls_;
      } else if (event.kind == OutputEvent::kToolArguments) {
        GLINT_CHECK(open_, "arguments belong to a call");
        arguments_ += event.text;
      } else if (event.kind == OutputEvent::kToolCallEnd) {
        GLINT_CHECK(open_ && glint::ParseJson(arguments_, "fuzz").ok(), arguments_);
        open_ = false;
      }
    }
  }

  [[nodiscard]] bool open() const { return open_; }

 private:
  bool open_ = false;
  int calls_ = 0;
  std::string arguments_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto tokenizer = glint::text::MakeTestTokenizer();
  static const glint::Json schema =
      glint::ParseJson(
          R"({"properties": {"s": {"type": "string"}, "n": {"type": ["string", "null"]}}})", "fuzz")
          .value();
  if (size == 0) return 0;
  auto parser =
      glint::text::OutputParser::Create(*tokenizer, {.starts_in_reasoning = (data[0] & 1) != 0,
                                                     .glm45_markup = (data[0] & 2) != 0,
                                                     .tools = {{"f", &schema}, {"g", nullptr}},
                                                     .parse_tools = (data[0] & 4) == 0});
  Watcher watcher;
  for (std::size_t i = 1; i < size; ++i) {
    const int byte = data[i];
    watcher.See(parser.Push(byte < 0xE0 ? byte : 256 + byte - 0xE0));
  }
  watcher.See(parser.Finish((data[0] & 8) != 0));
  GLINT_CHECK(!watcher.open(), "the last call is closed");
  return 0;
}
