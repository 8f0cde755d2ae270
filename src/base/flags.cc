// SPDX-License-Identifier: Apache-2.0
#include "base/flags.h"

#include <CLI/CLI.hpp>
#include <charconv>

#include "base/format.h"

namespace glint {
namespace {

class CliVisitor : public FlagVisitor {
 public:
  explicit CliVisitor(CLI::App& app) : app_(app) {}

  void Positional(std::string& field, const char* name, const char* help) override {
    app_.add_option(name, field, help)->required()->type_name("");
  }
  void Flag(bool& field, const char* name, const char* /*unit*/, const char* help) override {
    app_.add_flag(Dashed(name), field, help);
  }
  void Flag(std::int64_t& field, const char* name, const char* unit, const char* help) override {
    Option(field, name, unit, help)->check(CheckFitsInt64);
  }
  void Flag(double& field, const char* name, const char* unit, const char* help) override {
    Option(field, name, unit, help);
  }
  void Flag(std::string& field, const char* name, const char* unit, const char* help) override {
    Option(field, name, unit, help);
  }
  void Flag(std::optional<double>& field, const char* name, const char* unit,
            const char* help) override {
    app_.add_option_function<double>(
            Dashed(name), [&field](const double& value) { field = value; }, help)
        ->type_name(unit[0] == '\0' ? "VALUE" : unit);
  }

 private:
  // "json" -> "--json", "p,prompt" -> "-p,--prompt".
  static std::string Dashed(const std::string& name) {
    if (name.size() < 2 || name[1] != ',') return "--" + name;
    return "-" + name.substr(0, 2) + "--" + name.substr(2);
  }

  // CLI11 clamps what does not fit without a word.
  static std::string CheckFitsInt64(const std::string& text) {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value);
    if (failure == std::errc() && stop == end) return "";
    return format("{} is not an integer within 64 bits", Quoted(text));
  }

  template <typename T>
  CLI::Option* Option(T& field, const char* name, const char* unit, const char* help) {
    return app_.add_option(Dashed(name), field, help)
        ->type_name(unit[0] == '\0' ? "VALUE" : unit)
        ->capture_default_str();
  }

  CLI::App& app_;
};

class DescribeVisitor : public FlagVisitor {
 public:
  void Positional(std::string& field, const char* name, const char* /*help*/) override {
    Add(name, Json(field));
  }
  void Flag(bool& field, const char* name, const char* /*unit*/, const char* /*help*/) override {
    Add(name, Json(field));
  }
  void Flag(std::int64_t& field, const char* name, const char* /*unit*/,
            const char* /*help*/) override {
    Add(name, Json(field));
  }
  void Flag(double& field, const char* name, const char* /*unit*/, const char* /*help*/) override {
    Add(name, Json(field));
  }
  void Flag(std::string& field, const char* name, const char* /*unit*/,
            const char* /*help*/) override {
    Add(name, Json(field));
  }
  void Flag(std::optional<double>& field, const char* name, const char* /*unit*/,
            const char* /*help*/) override {
    values_.Add(name, field ? Json(*field) : Json());
  }
  Json Take() { return std::move(values_); }

 private:
  void Add(const std::string& name, Json value) {
    const bool has_letter = name.size() > 2 && name[1] == ',';
    values_.Add(has_letter ? name.substr(2) : name, std::move(value));
  }

  Json values_ = Json(Json::Object{});
};

}  // namespace

FlagOutcome ParseFlagsErased(const CommandText& command, const std::vector<std::string>& arguments,
                             void* flags, VisitFunction visit) {
  CLI::App app(command.summary, command.name);
  if (!command.examples.empty()) app.footer("Examples:\n" + command.examples);
  CliVisitor visitor(app);
  visit(flags, visitor);
  try {
    // CLI11 takes the words in reverse order.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return {.run = false, .exit_code = 0, .text = app.help()};
  } catch (const CLI::ParseError& error) {
    return {.run = false,
            .exit_code = 2,
            .text = format("{}: {}\nTry '{} --help'.\n", command.name, error.what(), command.name)};
  }
  return {};
}

Json DescribeFlagsErased(void* flags, VisitFunction visit) {
  DescribeVisitor visitor;
  visit(flags, visitor);
  return visitor.Take();
}

}  // namespace glint
