// SPDX-License-Identifier: Apache-2.0
#include "apps/info/info_command.h"

#include <cstdio>

#include "base/flags.h"
#include "eval/model_info.h"
#include "spec/builtin_models.h"
#include "spec/config_parser.h"

namespace glint {
namespace {

struct InfoFlags {
  std::string model;
  bool json = false;
  void Visit(FlagVisitor& visitor) {
    visitor.Positional(model, "MODEL", "a folder in Hugging Face layout, or a built-in name");
    visitor.Flag(json, "json", "", "print one JSON object");
  }
};

}  // namespace

int RunInfo(const std::vector<std::string>& arguments) {
  InfoFlags flags;
  const CommandText text{.name = "glint info",
                         .summary = "Says what a model is: parameters, layers, bytes per format.",
                         .examples = "  glint info glm-5.2"};
  const FlagOutcome outcome = ParseFlags(text, arguments, flags);
  if (!outcome.run) {
    std::fputs(outcome.text.c_str(), outcome.exit_code == 0 ? stdout : stderr);
    return outcome.exit_code;
  }
  const auto config = spec::FindBuiltinConfig(flags.model);
  if (!config) return 1;
  const auto model = spec::ParseConfig(*config, flags.model);
  if (!model.ok()) return 1;
  const eval::ModelInfo info = eval::DescribeModel(flags.model, model.value());
  const std::string out =
      flags.json ? eval::ModelInfoJson(info).WriteIndented() + "\n" : eval::WriteModelInfo(info);
  std::fputs(out.c_str(), stdout);
  return 0;
}

}  // namespace glint
