// SPDX-License-Identifier: Apache-2.0
// The interpreter's own promises: errors, limits, sharing. That it prints what jinja2 prints is
// tests/program/test_render.py.
#include "text/chat_template.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/format.h"

namespace glint::text {
namespace {

std::string LoadError(const std::string& source) {
  const auto parsed = ChatTemplate::Parse(source, "t.jinja");
  return parsed.ok() ? "no error" : parsed.error().message;
}

Result<std::string> Render(const std::string& source, const char* variables = "{}") {
  const auto parsed = ChatTemplate::Parse(source, "t.jinja");
  if (!parsed.ok()) return parsed.error();
  return parsed.value()->Render(ParseJson(variables, "test").value());
}

std::string RenderError(const std::string& source, const char* variables = "{}") {
  const auto text = Render(source, variables);
  return text.ok() ? "no error: " + text.value().substr(0, 80) : text.error().message;
}

TEST(ChatTemplate, UnknownConstructsAreNamedWithTheirLineWhenLoaded) {
  EXPECT_EQ(LoadError("a\n{% extends 'x' %}"), "t.jinja: line 2: unknown tag 'extends'");
  EXPECT_EQ(LoadError("\n\n{{ x | from_json }}"), "t.jinja: line 3: unknown filter 'from_json'");
  EXPECT_EQ(LoadError("{{ x is odder }}"), "t.jinja: line 1: unknown test 'odder'");
  EXPECT_EQ(LoadError("{{ lipsum() }}"), "t.jinja: line 1: unknown function 'lipsum'");
  EXPECT_EQ(LoadError("{{ x.translate({}) }}"), "t.jinja: line 1: unknown method 'translate'");
  EXPECT_EQ(LoadError("{{ x | map('nope') }}"), "t.jinja: line 1: unknown filter \"nope\"");
  EXPECT_EQ(LoadError("{{ x | selectattr('a', 'nope') }}"),
            "t.jinja: line 1: unknown test \"nope\"");
  EXPECT_EQ(LoadError("{% for x in y recursive %}{% endfor %}"),
            "t.jinja: line 1: recursive loops are not supported");
}

TEST(ChatTemplate, UnknownConstructsInABranchNotTakenAreErrorsToo) {
  EXPECT_EQ(LoadError("{% if false %}{{ x | nope }}{% endif %}"),
            "t.jinja: line 1: unknown filter 'nope'");
}

TEST(ChatTemplate, BadSyntaxNamesWhatWasExpectedAndItsLine) {
  EXPECT_EQ(LoadError("{{ 1 + }}"), "t.jinja: line 1: expected an expression, got '}}'");
  EXPECT_EQ(LoadError("{% if a %}\n"), "t.jinja: line 1: the template ends before 'endif'");
  EXPECT_EQ(LoadError("{% break %}"), "t.jinja: line 1: 'break' outside of a loop");
  EXPECT_EQ(LoadError("\xff"), "t.jinja: is not UTF-8");
}

TEST(ChatTemplate, RenderErrorsNameTheInnermostLine) {
  EXPECT_EQ(RenderError("{% if true %}\n{{ x.y }}\n{% endif %}"),
            "t.jinja: line 2: 'x' is undefined");
  EXPECT_EQ(RenderError("{{ m.a.b }}", R"({"m": {}})"),
            "t.jinja: line 1: 'dict object' has no attribute 'a'");
  EXPECT_EQ(RenderError("\n{{ raise_exception('no system message') }}"),
            "t.jinja: line 2: no system message");
  EXPECT_EQ(RenderError("{{ 'a' + 1 }}"),
            "t.jinja: line 1: unsupported operand types for +: 'str' and 'int'");
}

TEST(ChatTemplate, NumbersKeepTheirDigits) {
  const char* numbers = R"({"n": [123456789012345678901234567890, 1e15, 1.0, -0]})";
  EXPECT_EQ(Render("{{ n }} {{ n | tojson }}", numbers).value(),
            "[123456789012345678901234567890, 1000000000000000.0, 1.0, 0] "
            "[123456789012345678901234567890, 1000000000000000.0, 1.0, 0]");
}

TEST(ChatTemplate, KeysKeepTheirOrderAndTheLastOfEqualOnesCounts) {
  EXPECT_EQ(Render("{{ d | tojson }}", R"({"d": {"b": 1, "a": 2, "b": 3}})").value(),
            R"({"b": 3, "a": 2})");
}

TEST(ChatTemplate, TimeIsThatOfTheCall) {
  const auto parsed =
      ChatTemplate::Parse("{{ strftime_now('%Y') }}", "t")
          .value()
          ->Render(Json(Json::Object{}),
                   std::chrono::system_clock::time_point(std::chrono::hours(24 * 200)));
  EXPECT_EQ(parsed.value(), "1970");
}

TEST(ChatTemplate, DeepNestingIsRefusedWhenLoaded) {
  const auto repeated = [](const std::string& part, int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += part;
    return out;
  };
  for (const std::string& source :
       {"{{ " + repeated("(", 9999), "{{ " + repeated("[", 9999),
        "{{ " + repeated("not ", 9999) + "1 }}", "{{ " + repeated("-", 9999) + "1 }}",
        "{{ 1" + repeated(" + 1", 9999) + " }}", "{{ a" + repeated(".a", 9999) + " }}",
        "{{ a" + repeated("|trim", 9999) + " }}", repeated("{% if a %}", 9999),
        repeated("{% for a in b %}", 9999), "{% set " + repeated("(", 9999),
        "{{ a" + repeated(" if a else a", 9999) + " }}"}) {
    EXPECT_NE(LoadError(source).find("t.jinja: line"), std::string::npos) << source.substr(0, 40);
  }
}

TEST(ChatTemplate, AValueThatHoldsItselfEnds) {
  EXPECT_EQ(Render("{% set a = namespace() %}{% set a.a = a %}{{ a.a.a is defined }}").value(),
            "True");
  EXPECT_EQ(Render("{% set ns = namespace() %}{% for i in [1, 2] %}{% macro f() %}{{ i }}"
                   "{{ loop.index }}{% endmacro %}{% set ns.f = f %}{% set ns.l = loop %}"
                   "{% endfor %}{{ ns.l.index }}{% set g = ns.f %}{{ g() }}")
                .value(),
            "222");
}

TEST(ChatTemplate, ThreadsShareOneTemplate) {
  const auto parsed = ChatTemplate::Parse(
      "{% macro m(x) %}<{{ x }}>{% endmacro %}{% for i in l %}{{ m(i) }}"
      "{% endfor %}",
      "t");
  const Json variables = ParseJson(R"({"l": [1, "a", null]})", "test").value();
  std::vector<std::jthread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 200; ++turn) {
        EXPECT_EQ(parsed.value()->Render(variables).value(), "<1><a><None>");
      }
    });
  }
}

TEST(ChatTemplate, VariablesMustBeAnObject) {
  EXPECT_EQ(RenderError("x", "[]"),
            "t.jinja: the variables of a template are an array, must be an object");
}

}  // namespace
}  // namespace glint::text
