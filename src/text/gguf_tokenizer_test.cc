// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "text/internal/byte_alphabet.h"
#include "text/tokenizer.h"
#include "text/tokenizer_config.h"

namespace glint::text {
namespace {

using AddedTokens = Tokenizer::AddedTokens;

// All bytes, "ab", " a" and three tokens that no merge makes.
Json Metadata(std::string_view pre) {
  Json::Array tokens;
  Json::Array types;
  const auto add = [&](std::string text, std::int64_t type) {
    tokens.emplace_back(std::move(text));
    types.emplace_back(type);
  };
  for (int byte = 0; byte < 256; ++byte)
    add(SpellBytes(std::string(1, static_cast<char>(byte))), 1);
  add("ab", 1);                   // 256
  add(SpellBytes(" ") + "a", 1);  // 257
  add("<|user|>", 3);             // 258
  add("<think>", 4);              // 259
  add("[PAD260]", 5);
  const Json merges = Json::Array{Json("a b"), Json(SpellBytes(" ") + " a")};
  return Json::Object{{"tokenizer.ggml.model", "gpt2"},
                      {"tokenizer.ggml.pre", pre},
                      {"tokenizer.ggml.tokens", std::move(tokens)},
                      {"tokenizer.ggml.token_type", std::move(types)},
                      {"tokenizer.ggml.merges", merges},
                      {"tokenizer.ggml.bos_token_id", 258},
                      {"tokenizer.ggml.add_bos_token", true},
                      {"tokenizer.chat_template", "{{ bos_token }}x"}};
}

std::vector<std::string> Pieces(std::string_view pre, std::string_view text) {
  const auto tokenizer = Tokenizer::ParseGguf(Metadata(pre), "m.gguf");
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.error().message;
  std::vector<std::string> pieces;
  for (const std::int32_t id : tokenizer.value()->Encode(text, AddedTokens::kMatch)) {
    pieces.emplace_back(tokenizer.value()->Bytes(id));
  }
  return pieces;
}

using Words = std::vector<std::string>;

TEST(GgufTokenizer, MergesAndAddedTokensAreThoseOfTheFile) {
  EXPECT_EQ(Pieces("glm4", "ab<|user|> a<think>"), (Words{"ab", "<|user|>", " a", "<think>"}));
  const auto tokenizer = Tokenizer::ParseGguf(Metadata("glm4"), "m.gguf").value();
  EXPECT_TRUE(tokenizer->IsSpecial(258));
  EXPECT_TRUE(tokenizer->IsAdded(259));
  EXPECT_FALSE(tokenizer->IsSpecial(259));
  EXPECT_EQ(tokenizer->size(), 260);
}

TEST(GgufTokenizer, NothingIsPutBeforeAText) { EXPECT_EQ(Pieces("llama-bpe", "ab"), Words{"ab"}); }

// SmolLM2 has no token for some control characters.
TEST(GgufTokenizer, BytesThatTheVocabularyLacksAreLeftOut) {
  Json metadata = Metadata("smollm");
  Json::Array types = *metadata.Find("tokenizer.ggml.token_type")->array();
  types[4] = Json(5);
  metadata.Add("tokenizer.ggml.token_type", std::move(types));
  const auto tokenizer = Tokenizer::ParseGguf(metadata, "m.gguf");
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().message;
  const auto ids = tokenizer.value()->Encode("\4a1\4", AddedTokens::kMatch);
  EXPECT_EQ(tokenizer.value()->Decode(ids, false), "a1");
}

// "a1b": only where the digit is a piece of its own may "a" not be joined across it; white space
// before a digit stays whole.
TEST(GgufTokenizer, SmolLmCutsEveryDigitOff) {
  EXPECT_EQ(Pieces("smollm", " a1 a"), (Words{" a", "1", " a"}));
  EXPECT_EQ(Pieces("gpt-2", "  a"), (Words{" ", " a"}));
  EXPECT_EQ(Pieces("smollm", "  a"), (Words{" ", " a"}));
}

TEST(GgufTokenizer, TemplateAndSpecialTokensComeFromTheFile) {
  const auto config = ReadGgufTokenizerConfig(Metadata("glm4"), "m.gguf");
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config.value().chat_template, "{{ bos_token }}x");
  EXPECT_EQ(config.value().special_tokens.Write(), R"({"bos_token":"<|user|>"})");
}

void ExpectError(Json metadata, std::string_view key, Json value, std::string_view message) {
  metadata.Add(std::string(key), std::move(value));
  const auto tokenizer = Tokenizer::ParseGguf(metadata, "m.gguf");
  ASSERT_FALSE(tokenizer.ok()) << message;
  EXPECT_EQ(tokenizer.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(tokenizer.error().message.rfind("m.gguf: ", 0), 0U) << tokenizer.error().message;
  EXPECT_NE(tokenizer.error().message.find(message), std::string::npos)
      << tokenizer.error().message;
}

TEST(GgufTokenizer, ErrorsNameTheKey) {
  const Json good = Metadata("glm4");
  ExpectError(Json::Object{}, "k", 1, "key \"tokenizer.ggml.model\": is missing");
  ExpectError(good, "tokenizer.ggml.model", "llama", "key \"tokenizer.ggml.model\": is \"llama\"");
  ExpectError(good, "tokenizer.ggml.pre", "qwen2",
              "key \"tokenizer.ggml.pre\": \"qwen2\" is not supported, must be one of glm4");
  ExpectError(good, "tokenizer.ggml.pre", 3, "pre\": is a number, must be a string");
  ExpectError(good, "tokenizer.ggml.tokens", "x", "tokens\": is a string, must be an array");
  ExpectError(good, "tokenizer.ggml.tokens", Json::Array{Json("a")}, "token_type\": has 261 items");
  ExpectError(good, "tokenizer.ggml.merges", Json(), "merges\": is null, must be an array");
  ExpectError(good, "tokenizer.ggml.merges", Json::Array{Json("a")}, "merges[0] is neither");
  ExpectError(good, "tokenizer.ggml.merges", Json::Array{Json("a c")},
              "merges[0] needs the token \"ac\", which tokenizer.ggml.tokens does not have");
  ExpectError(good, "tokenizer.ggml.add_space_prefix", true, "add_space_prefix\": is true");
}

}  // namespace
}  // namespace glint::text
