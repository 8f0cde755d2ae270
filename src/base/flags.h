// SPDX-License-Identifier: Apache-2.0
// Command-line flags as struct fields. A command's flags are one struct with a Visit method that
// names every field once; parsing, --help and the printed configuration all come from it:
//
//   struct InfoFlags {
//     std::string model;
//     bool json = false;
//     void Visit(FlagVisitor& visitor) {
//       visitor.Positional(model, "MODEL", "a folder, a .gguf file or a built-in name");
//       visitor.Flag(json, "json", "", "print JSON");
//     }
//   };
//
// Underneath: CLI11, seen by flags.cc alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace glint {

class FlagVisitor {
 public:
  virtual ~FlagVisitor() = default;
  // A required word without dashes.
  virtual void Positional(std::string& field, const char* name, const char* help) = 0;
  // --name VALUE (or --name alone for bool); "p,prompt" is -p and --prompt. The field's value now
  // is the default; `unit` is shown in the help ("ms", "tokens", "" for none).
  virtual void Flag(bool& field, const char* name, const char* unit, const char* help) = 0;
  virtual void Flag(std::int64_t& field, const char* name, const char* unit, const char* help) = 0;
  virtual void Flag(double& field, const char* name, const char* unit, const char* help) = 0;
  virtual void Flag(std::string& field, const char* name, const char* unit, const char* help) = 0;
  // A number that may be left out: stays nullopt then.
  virtual void Flag(std::optional<double>& field, const char* name, const char* unit,
                    const char* help) = 0;
};

struct CommandText {
  std::string name;      // "glint info"
  std::string summary;   // one sentence
  std::string examples;  // shown at the end of --help, one command a line
};

// What parsing found: go on, or stop with this exit code after printing `text`.
struct FlagOutcome {
  bool run = true;
  int exit_code = 0;  // 0 after --help, 2 for wrong use
  std::string text;   // help (for stdout) or what was wrong (for stderr)
};

// Parses `arguments` (without the program and command names) into the fields that `visit` names.
using VisitFunction = void (*)(void* flags, FlagVisitor& visitor);
FlagOutcome ParseFlagsErased(const CommandText& command, const std::vector<std::string>& arguments,
                             void* flags, VisitFunction visit);

// The values of all fields, by name: what a report prints as its configuration.
Json DescribeFlagsErased(void* flags, VisitFunction visit);

template <typename Flags>
FlagOutcome ParseFlags(const CommandText& command, const std::vector<std::string>& arguments,
                       Flags& flags) {
  return ParseFlagsErased(command, arguments, &flags, [](void* erased, FlagVisitor& visitor) {
    static_cast<Flags*>(erased)->Visit(visitor);
  });
}

template <typename Flags>
Json DescribeFlags(Flags& flags) {
  return DescribeFlagsErased(&flags, [](void* erased, FlagVisitor& visitor) {
    static_cast<Flags*>(erased)->Visit(visitor);
  });
}

}  // namespace glint
