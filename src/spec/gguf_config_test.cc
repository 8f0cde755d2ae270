// SPDX-License-Identifier: Apache-2.0
#include "spec/gguf_config.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"

namespace glint::spec {
namespace {

constexpr GgufTensorFacts kFacts = {.vocab_rows = 151552, .has_output = true};

// Keys of a file as it would hold them; `more` comes last, so it wins.
std::string Metadata(std::string_view name, std::string_view more) {
  std::string text = format(R"({{"general.architecture":"{}")", name);
  const auto add = [&](std::string_view key, std::string_view value) {
    text += format(R"(,"{}.{}":{})", name, key, value);
  };
  add("block_count", "3");
  add("context_length", "131072");
  add("embedding_length", "4096");
  add("feed_forward_length", "10944");
  add("attention.head_count", "96");
  add("attention.head_count_kv", "8");
  add("attention.layer_norm_rms_epsilon", "1e-05");
  add("rope.freq_base", "1000000.0");
  return text + std::string(more) + "}";
}

constexpr std::string_view kMoe =
    R"(,"A.expert_count":128,"A.expert_used_count":8,"A.expert_shared_count":1)"
    R"(,"A.expert_feed_forward_length":1408,"A.expert_weights_scale":2.5)"
    R"(,"A.leading_dense_block_count":1,"A.nextn_predict_layers":1)";
constexpr std::string_view kLatent =
    R"(,"A.attention.q_lora_rank":2048,"A.attention.kv_lora_rank":512)"
    R"(,"A.rope.dimension_count":64,"A.attention.key_length":576,"A.attention.value_length":512)"
    R"(,"A.attention.key_length_mla":256,"A.attention.value_length_mla":256)";
constexpr std::string_view kIndexer =
    R"(,"A.attention.indexer.head_count":32,"A.attention.indexer.key_length":128)"
    R"(,"A.attention.indexer.top_k":2048)";

// With "A." written as the architecture's prefix.
std::string For(std::string_view name, const std::vector<std::string_view>& parts) {
  std::string more;
  for (const std::string_view part : parts) more += part;
  for (std::size_t at = more.find("\"A."); at != std::string::npos; at = more.find("\"A.", at)) {
    more.replace(at + 1, 1, name);
  }
  return Metadata(name, more);
}

Result<ModelSpec> Parse(const std::string& json, const GgufTensorFacts& facts = kFacts) {
  return ParseGgufConfig(ParseJson(json, "test").value(), facts, "m.gguf");
}

ModelSpec ParseGood(const std::string& json, const GgufTensorFacts& facts = kFacts) {
  auto model = Parse(json, facts);
  EXPECT_TRUE(model.ok()) << model.error().message;
  return model.ok() ? model.value() : ModelSpec{};
}

void ExpectError(const std::string& json, std::string_view part) {
  const auto model = Parse(json);
  ASSERT_FALSE(model.ok()) << part;
  EXPECT_EQ(model.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(model.error().message.rfind("m.gguf: ", 0), 0U) << model.error().message;
  EXPECT_NE(model.error().message.find(part), std::string::npos) << model.error().message;
}

TEST(GgufConfig, Glm4MoeTakesBiasAndNormFromTheTensors) {
  const std::string json =
      For("glm4moe", {kMoe, R"(,"A.attention.key_length":128,"A.rope.dimension_count":64)"});
  GgufTensorFacts facts = kFacts;
  facts.has_qkv_bias = true;
  const ModelSpec model = ParseGood(json, facts);
  EXPECT_EQ(model.architecture, Architecture::kGlm4Moe);
  EXPECT_EQ(model.TrunkLayers(), 2);
  EXPECT_EQ(model.mtp_layers.size(), 1U);
  EXPECT_EQ(model.vocab_size, 151552);
  EXPECT_TRUE(model.gqa->qkv_bias);
  EXPECT_FALSE(model.gqa->qk_norm);
  EXPECT_EQ(model.rope.width, 64);
  EXPECT_FALSE(model.rope.interleaved);
  EXPECT_FALSE(model.tied_embeddings);
  EXPECT_EQ(model.moe->scaling, 2.5);
  EXPECT_EQ(model.layers[0].mlp, MlpKind::kDense);
}

TEST(GgufConfig, LatentWidthsAreThoseOfTheHeads) {
  const ModelSpec model = ParseGood(For("deepseek2", {kMoe, kLatent}));
  EXPECT_EQ(model.architecture, Architecture::kGlm4MoeLite);
  EXPECT_EQ(model.mla->nope_dim, 192);
  EXPECT_EQ(model.mla->rope_dim, 64);
  EXPECT_EQ(model.mla->v_dim, 256);
  const ModelSpec old = ParseGood(
      For("deepseek2", {kMoe, R"(,"A.attention.q_lora_rank":768,"A.attention.kv_lora_rank":512)"
                              R"(,"A.rope.dimension_count":64,"A.attention.key_length":256)"
                              R"(,"A.attention.value_length":256)"}));
  EXPECT_EQ(old.mla->nope_dim, 192);
}

TEST(GgufConfig, IndexerTypesDecideAndTheirAbsenceMeansTheContextDoes) {
  const auto roles = [](const ModelSpec& model) {
    std::string text;
    for (const LayerSpec& layer : model.layers) {
      text += layer.indexer == IndexerRole::kFull ? 'F' : 'S';
    }
    return text;
  };
  const std::string_view four = R"(,"A.block_count":5)";
  EXPECT_EQ(roles(ParseGood(For("glm-dsa", {kMoe, kLatent, kIndexer, four}))), "FFFF");
  EXPECT_EQ(roles(ParseGood(
                For("glm-dsa", {kMoe, kLatent, kIndexer, four, R"(,"A.context_length":1048576)"}))),
            "FFFS");
  const ModelSpec typed =
      ParseGood(For("glm-dsa", {kMoe, kLatent, kIndexer, four,
                                R"(,"A.attention.indexer.types":[true,false,true,false,true])"}));
  EXPECT_EQ(roles(typed), "FSFS");
  EXPECT_TRUE(typed.indexer->share_for_mtp);
  EXPECT_EQ(typed.indexer->layer_norm_epsilon, 1e-6);
}

TEST(GgufConfig, LlamaIsInterleavedAndMayBeTied) {
  GgufTensorFacts facts = kFacts;
  facts.has_output = false;
  const ModelSpec model = ParseGood(
      For("llama", {R"(,"A.attention.head_count":32,"A.rope.dimension_count":128)"}), facts);
  EXPECT_EQ(model.architecture, Architecture::kLlama);
  EXPECT_TRUE(model.rope.interleaved);
  EXPECT_EQ(model.rope.width, 128);
  EXPECT_TRUE(model.tied_embeddings);
  EXPECT_FALSE(model.fused_gate_up);
}

TEST(GgufConfig, EndTokensAreNamedOnce) {
  const ModelSpec model = ParseGood(
      For("glm4", {R"(,"A.attention.key_length":128,"tokenizer.ggml.eos_token_id":5)"
                   R"(,"tokenizer.ggml.eot_token_id":7,"tokenizer.ggml.eom_token_id":5)"}));
  EXPECT_EQ(model.eos_ids, (std::vector<std::int64_t>{5, 7}));
  EXPECT_TRUE(model.sandwich_norms);
}

TEST(GgufConfig, RotatedWidthSurvivesEveryHead) {
  for (std::int64_t head = 2; head <= 256; head += 2) {
    for (std::int64_t rope = 2; rope <= head; rope += 2) {
      const std::string more =
          format(R"(,"A.attention.key_length":{},"A.rope.dimension_count":{})", head, rope);
      EXPECT_EQ(ParseGood(For("glm4", {more})).rope.width, rope) << head;
    }
  }
}

TEST(GgufConfig, ErrorsNameTheKeyOfTheFile) {
  ExpectError("{}", "key \"general.architecture\": is missing");
  ExpectError(R"({"general.architecture":3})", "must be a string");
  ExpectError(Metadata("gemma3", ""), "\"gemma3\" is not supported, must be one of glm-dsa");
  ExpectError(For("glm4", {R"(,"A.block_count":0)"}),
              "key \"glm4.nextn_predict_layers\": is 0, of");
  ExpectError(For("glm4", {R"(,"A.block_count":5000)"}), "key \"glm4.block_count\" is 5000");
  ExpectError(For("glm4", {R"(,"A.block_count":-1)"}), "\"glm4.block_count\": must be an integer");
  ExpectError(For("glm4", {R"(,"A.embedding_length":0)"}), "key \"glm4.embedding_length\" is 0");
  ExpectError(For("glm4", {R"(,"A.embedding_length":null)"}), "embedding_length\": must be an int");
  ExpectError(For("glm4", {R"(,"A.attention.head_count":0)"}), "head_count\": is 0");
  ExpectError(For("glm4", {R"(,"A.attention.head_count":[1,2])"}), "head_count\": must be");
  ExpectError(For("glm4", {R"(,"A.attention.key_length":64,"A.rope.dimension_count":66)"}),
              "rope.dimension_count\": is 66");
  ExpectError(For("glm4", {R"(,"A.attention.key_length":64,"A.attention.value_length":32)"}),
              "value_length\": is 32");
  ExpectError(For("glm4", {R"(,"A.rope.scaling.type":"yarn")"}), "rope.scaling.type\": is");
  ExpectError(For("glm4", {R"(,"A.rope.scaling.factor":4.0)"}), "rope.scaling.factor\": is");
  ExpectError(For("deepseek2", {kMoe, kLatent, R"(,"A.expert_gating_func":1)"}),
              "expert_gating_func\": is 1, only 2 (sigmoid)");
  ExpectError(For("deepseek2", {kMoe}), "key \"deepseek2.attention.key_length\": is missing");
  ExpectError(For("deepseek2", {kMoe, kLatent, R"(,"A.rope.dimension_count":256)"}),
              "must be less than attention.key_length_mla 256");
  ExpectError(For("glm-dsa", {kMoe, kLatent, kIndexer, R"(,"A.attention.indexer.types":[true])"}),
              "indexer.types\": must be an array of 3 items");
  ExpectError(For("llama", {R"(,"A.expert_count":8)"}), "llama with experts");
}

}  // namespace
}  // namespace glint::spec
