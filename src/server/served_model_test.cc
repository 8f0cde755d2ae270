// SPDX-License-Identifier: Apache-2.0
#include "server/served_model.h"

#include <gtest/gtest.h>

namespace glint::server {
namespace {

TEST(ParseGenerationDefaults, ReadsWhatGlmCheckpointsHave) {
  const auto defaults = ParseGenerationDefaults(R"({"_from_model_config": true, "do_sample": true,
        "eos_token_id": [5, 7, 9], "pad_token_id": 5, "temperature": 0.6, "top_p": 0.95,
        "transformers_version": "5.0"})",
                                                "generation_config.json", {1})
                            .value();
  EXPECT_EQ(defaults.temperature, 0.6);
  EXPECT_EQ(defaults.top_p, 0.95);
  EXPECT_EQ(defaults.top_k, 0);
  EXPECT_EQ(defaults.end_tokens, (std::vector<std::int32_t>{5, 7, 9}));
}

TEST(ParseGenerationDefaults, TheConfigsEndTokensCountWhereTheFileHasNone) {
  EXPECT_EQ(ParseGenerationDefaults("", "", {1, 2}).value().end_tokens,
            (std::vector<std::int32_t>{1, 2}));
  const auto greedy =
      ParseGenerationDefaults(R"({"do_sample": false, "eos_token_id": 4})", "g", {1});
  EXPECT_EQ(greedy.value().end_tokens, std::vector<std::int32_t>{4});
  EXPECT_EQ(greedy.value().temperature, 0);
}

TEST(ParseGenerationDefaults, NamesFileAndField) {
  const auto message = [](const char* json) {
    const auto defaults = ParseGenerationDefaults(json, "g.json", {});
    return defaults.ok() ? std::string("accepted") : defaults.error().message;
  };
  EXPECT_EQ(message("[]"), "g.json: must be an object");
  EXPECT_EQ(message(R"({"temperature": -1})"),
            "g.json: temperature must be a number from 0 to 100");
  EXPECT_EQ(message(R"({"top_p": "x"})"), "g.json: top_p must be a number from 0 to 1");
  EXPECT_EQ(message(R"({"eos_token_id": [1, -2]})"),
            "g.json: eos_token_id must be a token id or an array of them");
  EXPECT_NE(message("{").find("g.json"), std::string::npos);
}

TEST(UsesGlm45Markup, IsAskedOfTheTemplate) {
  const auto uses = [](const char* between) {
    const std::string source =
        std::string("{% for m in messages %}{% for call in m.tool_calls or [] %}<tool_call>") +
        "{{ call.function.name }}{% for k, v in call.function.arguments.items() %}<arg_key>{{ k "
        "}}" +
        "</arg_key>" + between +
        "<arg_value>{{ v }}</arg_value>{% endfor %}{% endfor %}{% endfor %}";
    return UsesGlm45Markup(*text::ChatTemplate::Parse(source, "test").value());
  };
  EXPECT_TRUE(uses("\n"));
  EXPECT_FALSE(uses(""));
  EXPECT_FALSE(UsesGlm45Markup(*text::ChatTemplate::Parse("{{ none.x }}", "test").value()));
}

}  // namespace
}  // namespace glint::server
