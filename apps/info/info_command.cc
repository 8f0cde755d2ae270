// SPDX-License-Identifier: Apache-2.0
#include "apps/info/info_command.h"

#include <cstdio>
#include <optional>

#include "base/flags.h"
#include "base/log.h"
#include "base/progress.h"
#include "eval/inspect_model.h"

namespace glint {
namespace {

struct InfoFlags {
  std::string model;
  bool json = false;
  bool verify = false;
  void Visit(FlagVisitor& visitor) {
    visitor.Positional(model, "MODEL",
                       "a folder in Hugging Face layout, a .gguf file, or a built-in name");
    visitor.Flag(json, "json", "", "print one JSON object");
    visitor.Flag(verify, "verify", "", "read every byte: scales and numbers must be finite");
  }
};

}  // namespace

int RunInfo(const std::vector<std::string>& arguments) {
  InfoFlags flags;
  const CommandText text{
      .name = "glint info",
      .summary =
          "Says what a model is: parameters, layers, bytes per format, cache per "
          "token. A folder's tensors are all accounted for.",
      .examples =
          "  glint info glm-5.2\n"
          "  glint info ./GLM-4.7-Flash --verify\n"
          "  glint info glm-5.2 --json"};
  const FlagOutcome outcome = ParseFlags(text, arguments, flags);
  if (!outcome.run) {
    std::fputs(outcome.text.c_str(), outcome.exit_code == 0 ? stdout : stderr);
    return outcome.exit_code;
  }
  const Result<eval::ModelInfo> info = eval::InspectModel(
      flags.model, {.verify = flags.verify, .progress = StderrByteProgress("reading")});
  if (!info.ok()) {
    LogError(info.error().message);
    return 1;
  }
  const std::optional<eval::CheckpointInfo>& checkpoint = info.value().checkpoint;
  if (checkpoint) {
    for (const std::string& warning : checkpoint->warnings) LogWarning(warning);
  }
  const std::string out = flags.json ? eval::ModelInfoJson(info.value()).WriteIndented() + "\n"
                                     : eval::WriteModelInfo(info.value());
  std::fputs(out.c_str(), stdout);
  return 0;
}

}  // namespace glint
