// SPDX-License-Identifier: Apache-2.0
#include "text/tokenizer_config.h"

#include <gtest/gtest.h>

namespace glint::text {
namespace {

std::string ErrorOf(std::string_view json) {
  const auto config = ParseTokenizerConfig(json, "t.json");
  return config.ok() ? "no error" : config.error().message;
}

TEST(TokenizerConfig, HasTheTemplateAndTheSpecialTokens) {
  const auto config = ParseTokenizerConfig(
      R"({"chat_template": "x", "eos_token": "<e>", "pad_token": {"content": "<p>"},
          "bos_token": null, "added_tokens_decoder": {}})",
      "t.json");
  EXPECT_EQ(config.value().chat_template, "x");
  EXPECT_EQ(config.value().special_tokens.Write(), R"({"eos_token":"<e>","pad_token":"<p>"})");
}

TEST(TokenizerConfig, OfNamedTemplatesTheDefaultCounts) {
  EXPECT_EQ(ParseTokenizerConfig(R"({"chat_template": [{"name": "rag", "template": "a"},
                                    {"name": "default", "template": "b"}]})",
                                 "t.json")
                .value()
                .chat_template,
            "b");
  EXPECT_EQ(ErrorOf(R"({"chat_template": []})"),
            "t.json: chat_template has no template named default");
}

TEST(TokenizerConfig, MayHaveNoTemplate) {
  EXPECT_FALSE(ParseTokenizerConfig("{}", "t.json").value().chat_template.has_value());
}

TEST(TokenizerConfig, WrongTypesAreNamed) {
  EXPECT_EQ(ErrorOf("[]"), "t.json: is an array, must be an object");
  EXPECT_EQ(ErrorOf(R"({"chat_template": 5})"),
            "t.json: chat_template is a number, must be a string");
  EXPECT_EQ(ErrorOf(R"({"chat_template": [5]})"),
            "t.json: chat_template has an entry without name and template");
}

}  // namespace
}  // namespace glint::text
