// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/bench_command.h"

#include <cstdio>

#include "apps/bench/bench_machine.h"
#include "apps/bench/bench_model_command.h"
#include "apps/bench/bench_serve_command.h"

namespace glint {
namespace {

constexpr const char* kUsage =
    "Measures, and prints the machine's limit beside it.\n"
    "Usage: glint bench WHAT [flags]\n\n"
    "  machine   how fast memory can be read, on 1 thread and on all\n"
    "  model     prefill and decode speed of a model\n"
    "  serve     a server under load: any that speaks OpenAI's API\n\n"
    "'glint bench WHAT --help' explains its flags.\n";

}  // namespace

int RunBench(const std::vector<std::string>& arguments) {
  const std::string what = arguments.empty() ? "" : arguments[0];
  const std::vector<std::string> rest(arguments.begin() + (arguments.empty() ? 0 : 1),
                                      arguments.end());
  if (what == "machine") return RunBenchMachine(rest);
  if (what == "model") return RunBenchModel(rest);
  if (what == "serve") return RunBenchServe(rest);
  if (what == "--help" || what == "-h") {
    std::fputs(kUsage, stdout);
    return 0;
  }
  std::fprintf(stderr, "glint bench: %s\n\n%s",
               what.empty() ? "say what to measure" : ("nothing named '" + what + "'").c_str(),
               kUsage);
  return 2;
}

}  // namespace glint
