// SPDX-License-Identifier: Apache-2.0
// The limits of one rendering, with small ones.
#include "text/internal/jinja_renderer.h"

#include <gtest/gtest.h>

#include "text/internal/jinja_parser.h"

namespace glint::text::jinja {
namespace {

Result<std::string> Render(const std::string& source) {
  const auto parsed = ParseTemplate(source);
  if (!parsed.ok()) return parsed.error();
  const Renderer::Limits limits = {
      .budget = {.steps = 300'000, .live_bytes = 4'000'000}, .output_bytes = 100'000, .depth = 400};
  return Renderer(parsed.value(), {}, limits).Run(Json(Json::Object{}));
}

std::string RenderError(const std::string& source) {
  const auto text = Render(source);
  return text.ok() ? "no error: " + text.value().substr(0, 80) : text.error().message;
}

TEST(Renderer, WhatFitsIsRendered) {
  EXPECT_EQ(Render("{% for i in range(9999) %}{{ i }}{% endfor %}").value().size(), 38886U);
}

TEST(Renderer, OutputIsBounded) {
  EXPECT_EQ(RenderError("a\n{% for i in range(99) %}{{ 'xxxxxxxx' * 999 }}{% endfor %}"),
            "line 2: the template prints more than 100.0 kB");
}

TEST(Renderer, EndlessWorkIsCutOff) {
  const std::string loop = "{% for a in range(9999) %}";
  EXPECT_NE(RenderError(loop + loop + "{% endfor %}{% endfor %}").find("steps"), std::string::npos);
  EXPECT_NE(RenderError("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}").find("deeper"),
            std::string::npos);
}

TEST(Renderer, MemoryIsBounded) {
  for (const char* source : {
           "{{ 'x' * 99999999999 }}",
           "{{ [0] * 99999999999 }}",
           "{{ 'x'.center(99999999999) }}",
           "{{ 'x'.zfill(99999999999) }}",
           "{{ 'a\nb' | indent(99999999999) }}",
           "{{ '%99999999999d' % 1 }}",
           "{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set ns.s = ns.s ~ ns.s %}"
           "{% endfor %}",
           "{% set ns = namespace(l=[0]) %}{% for i in range(99) %}{% set ns.l = [ns.l, ns.l] %}"
           "{% endfor %}{{ ns.l }}",
           "{% set ns = namespace(l=[0]) %}{% for i in range(99) %}{% set ns.l = [ns.l, ns.l] %}"
           "{% endfor %}{{ ns.l | tojson }}",
           "{% set ns = namespace(l=[0], m=[0]) %}{% for i in range(99) %}"
           "{% set ns.l = [ns.l, ns.l] %}{% set ns.m = [ns.m, ns.m] %}{% endfor %}"
           "{{ ns.l == ns.m }}",
           "{% set ns = namespace(l=[0]) %}{% for i in range(999) %}{% set ns.l = [ns.l] %}"
           "{% endfor %}",
           "{% for i in range(99999) %}{% for j in range(99999) %}{{ 'xxxxxxxxxxxxxxxx' * 9999 }}"
           "{% endfor %}{% endfor %}",
       }) {
    const auto text = Render(source);
    EXPECT_FALSE(text.ok()) << source;
  }
}

}  // namespace
}  // namespace glint::text::jinja
