// SPDX-License-Identifier: Apache-2.0
// glint SUBCOMMAND: the table of sub-commands and nothing else. Results go to stdout, messages to
// stderr; exit code 0, 1 failed, 2 wrong use.
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/bench/bench_command.h"
#include "apps/chat/chat_command.h"
#include "apps/command.h"
#include "apps/cost/cost_command.h"
#include "apps/info/info_command.h"
#include "apps/logits/logits_command.h"
#include "apps/render/render_command.h"
#include "apps/serve/serve_command.h"
#include "apps/tokenize/tokenize_command.h"
#include "apps/version.h"

namespace glint {
namespace {

constexpr Command kCommands[] = {
    {"chat", "talk with a model in the terminal, or answer one prompt", RunChat},
    {"serve", "serve a model over HTTP", RunServe},
    {"info", "what a model is: parameters, layers, bytes per format", RunInfo},
    {"logits", "raw logits of a token sequence, as a NumPy file", RunLogits},
    {"render", "the prompt that a model's chat template makes of messages", RunRender},
    {"tokenize", "text to token ids and back", RunTokenize},
    {"bench", "measure this machine or a model on it, beside the limit", RunBench},
    {"cost", "what a token costs: price books, ownership, one machine against another", RunCost},
};

void PrintUsage(std::FILE* out) {
  std::fprintf(out,
               "glint %s: serves the GLM family of language models, and measures and prices it.\n\n"
               "Usage: glint COMMAND [flags]\n\nCommands:\n",
               Version());
  for (const Command& command : kCommands) {
    std::fprintf(out, "  %-10s %s\n", command.name, command.summary);
  }
  std::fprintf(out, "\n'glint COMMAND --help' explains a command.\n");
}

int Run(std::span<char*> words) {
  if (words.size() < 2) {
    PrintUsage(stderr);
    return 2;
  }
  const std::string_view name = words[1];
  if (name == "--help" || name == "-h" || name == "help") {
    PrintUsage(stdout);
    return 0;
  }
  if (name == "--version") {
    std::printf("glint %s\n", Version());
    return 0;
  }
  for (const Command& command : kCommands) {
    if (name == command.name) {
      return command.run(std::vector<std::string>(words.begin() + 2, words.end()));
    }
  }
  std::fprintf(stderr, "glint: no command named '%s'\n\n", words[1]);
  PrintUsage(stderr);
  return 2;
}

}  // namespace
}  // namespace glint

int main(int argc, char** argv) {
  return glint::Run(std::span<char*>(argv, static_cast<std::size_t>(argc)));
}
