// SPDX-License-Identifier: Apache-2.0
#include "spec/config_parser.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "spec/builtin_models.h"

namespace glint::spec {
namespace {

// A built-in config with some members replaced; a null removes the member.
Result<ModelSpec> With(std::string_view name, const char* changes) {
  const Json config = ParseJson(FindBuiltinConfig(name).value(), name).value();
  const Json changed = ParseJson(changes, "changes").value();
  Json merged = Json(Json::Object{});
  for (const Json::Member& member : *config.object()) {
    if (changed.Find(member.first) == nullptr) merged.Add(member.first, member.second);
  }
  for (const Json::Member& member : *changed.object()) {
    if (!member.second.is_null()) merged.Add(member.first, member.second);
  }
  return ParseConfig(merged.Write(), "config.json");
}

std::string Message(std::string_view name, const char* changes) {
  const Result<ModelSpec> model = With(name, changes);
  return model.ok() ? "accepted" : model.error().message;
}

TEST(ConfigParser, EveryBuiltinModelParses) {
  EXPECT_EQ(BuiltinModelNames().size(), 13U);
  for (const std::string& name : BuiltinModelNames()) {
    const Result<ModelSpec> model = ParseBuiltin(name);
    EXPECT_TRUE(model.ok()) << model.error().message;
  }
}

TEST(ConfigParser, Glm52) {
  const ModelSpec model = With("glm-5.2", "{}").value();
  EXPECT_EQ(model.architecture, Architecture::kGlmMoeDsa);
  EXPECT_EQ(model.TrunkLayers(), 78);
  EXPECT_EQ(model.mtp_layers.size(), 1U);
  EXPECT_FALSE(model.mtp_own_embeddings);
  EXPECT_EQ(model.mla->nope_dim, 192);
  EXPECT_EQ(model.rope.theta, 8e6);
  EXPECT_EQ(model.rope.width, 64);
  EXPECT_TRUE(model.rope.interleaved);
  EXPECT_TRUE(model.indexer->share_for_mtp);
  EXPECT_EQ(model.moe->shared_width, 2048);
  EXPECT_EQ(model.moe->scaling, 2.5);
  EXPECT_EQ(model.layers[2].mlp, MlpKind::kDense);
  EXPECT_EQ(model.layers[3].mlp, MlpKind::kMoe);
  EXPECT_EQ(model.eos_ids, (std::vector<std::int64_t>{154820, 154827, 154829}));
}

TEST(ConfigParser, GroupedQueryVariants) {
  const ModelSpec moe = With("glm-4.5", "{}").value();
  EXPECT_TRUE(moe.gqa->qk_norm);
  EXPECT_TRUE(moe.gqa->qkv_bias);
  EXPECT_FALSE(moe.rope.interleaved);
  EXPECT_EQ(moe.rope.width, 64);
  EXPECT_TRUE(moe.mtp_own_embeddings);
  EXPECT_FALSE(moe.fused_gate_up);

  const ModelSpec dense = With("glm-4-32b-0414", "{}").value();
  EXPECT_TRUE(dense.sandwich_norms);
  EXPECT_TRUE(dense.fused_gate_up);
  EXPECT_FALSE(dense.gqa->qkv_bias);
  EXPECT_TRUE(dense.rope.interleaved);
  EXPECT_FALSE(With("glm-4-9b", "{}").value().sandwich_norms);
}

TEST(ConfigParser, BothSpellingsOfRope) {
  const char* nested =
      R"({"rope_theta":null,"partial_rotary_factor":null,
          "rope_parameters":{"rope_theta":10000,"partial_rotary_factor":0.25,"rope_type":"default"}})";
  EXPECT_EQ(With("glm-4.5", nested).value().rope.theta, 10000);
  EXPECT_EQ(With("glm-4.5", nested).value().rope.width, 32);
  const char* top = R"({"rope_parameters":null,"rope_theta":5e5,"rope_scaling":null})";
  EXPECT_EQ(With("glm-5.2", top).value().rope.theta, 5e5);
  // Where both stand, the newer spelling wins.
  EXPECT_EQ(With("glm-5.2", R"({"rope_theta":1})").value().rope.theta, 8e6);
}

TEST(ConfigParser, HeadDimIsIgnoredForLatentAttention) {
  for (const char* head_dim : {R"({"head_dim":64})", R"({"head_dim":192})"}) {
    EXPECT_EQ(With("glm-5.2", head_dim).value().rope.width, 64);
  }
  EXPECT_EQ(With("glm-4.5", R"({"head_dim":null,"num_attention_heads":40})").value().gqa->head_dim,
            128);
}

TEST(ConfigParser, LayerTypeListWinsOverFirstKDense) {
  const ModelSpec model =
      With("bench-s", R"({"mlp_layer_types":["dense","dense","sparse","sparse","sparse","sparse",
        "sparse","sparse","sparse","sparse","sparse","dense"]})")
          .value();
  EXPECT_EQ(model.layers[1].mlp, MlpKind::kDense);
  EXPECT_EQ(model.layers[11].mlp, MlpKind::kDense);
  EXPECT_EQ(model.layers[10].mlp, MlpKind::kMoe);
}

TEST(ConfigParser, AbsentMtpCountMeansNone) {
  EXPECT_TRUE(With("glm-5.2", R"({"num_nextn_predict_layers":null})").value().mtp_layers.empty());
}

TEST(ConfigParser, EosMayBeOneNumberOrAbsent) {
  EXPECT_EQ(With("glm-5.2", R"({"eos_token_id":5})").value().eos_ids.size(), 1U);
  EXPECT_TRUE(With("glm-5.2", R"({"eos_token_id":null})").value().eos_ids.empty());
}

TEST(ConfigParser, IntegersWrittenAsFloatsAreAccepted) {
  EXPECT_EQ(With("glm-5.2", R"({"hidden_size":6144.0})").value().hidden_size, 6144);
}

TEST(ConfigParser, MessagesNameFileKeyValueAndLimit) {
  const struct {
    const char* model;
    const char* changes;
    const char* message;
  } cases[] = {
      {"glm-5.2", R"({"num_hidden_layers":0})",
       "config.json: num_hidden_layers is 0, must be 1 to 1024"},
      {"glm-5.2", R"({"hidden_size":"big"})",
       "config.json: hidden_size is \\\"big\\\", must be an integer"},
      {"glm-5.2", R"({"hidden_size":1.5})", "config.json: hidden_size is 1.5, must be an integer"},
      {"glm-5.2", R"({"q_lora_rank":null})", "config.json: q_lora_rank is missing"},
      {"glm-5.2", R"({"model_type":"llama4"})",
       "config.json: model_type \"llama4\" is not supported, must be one of glm_moe_dsa, "
       "glm4_moe_lite, glm4_moe, glm4, glm, llama"},
      {"glm-5.2", R"({"model_type":null})",
       "config.json: model_type is missing, must be one of glm_moe_dsa, glm4_moe_lite, glm4_moe, "
       "glm4, glm, llama"},
      {"glm-5.2", R"({"rms_norm_eps":0})",
       "config.json: rms_norm_eps is 0, must be a number above 0"},
      {"glm-5.2", R"({"num_experts_per_tok":257})",
       "config.json: num_experts_per_tok is 257, must be 1 to 256"},
      {"glm-5.2", R"({"scoring_func":"softmax"})",
       "config.json: scoring_func is \\\"softmax\\\", only \"sigmoid\" is supported"},
      {"glm-5.2", R"({"rope_parameters":{"rope_theta":1e6,"rope_type":"yarn"}})",
       "config.json: rope_parameters: rope_type is \\\"yarn\\\", only \"default\" is supported"},
      {"glm-5.2", R"({"rope_scaling":{"type":"linear","factor":2}})",
       "config.json: rope_scaling: type is \\\"linear\\\", only \"default\" is supported"},
      {"glm-5.2", R"({"attention_bias":true})",
       "config.json: attention_bias is true, which latent attention does not support"},
      {"glm-5.2", R"({"eos_token_id":[154820,999999]})",
       "config.json: eos_token_id holds \"999999\", must be ids below vocab_size 154880"},
      {"glm-5.2", R"({"qk_rope_head_dim":63})",
       "config.json: qk_rope_head_dim is 63, must be even"},
      {"glm-5.2", R"({"index_head_dim":32})",
       "config.json: index_head_dim is 32, must be at least qk_rope_head_dim 64"},
      {"glm-5.2", R"({"indexer_rope_interleave":false})",
       "config.json: indexer_rope_interleave is false, GLM's indexer is interleaved"},
      {"glm-5.2", R"({"mlp_layer_types":["dense"]})",
       "config.json: mlp_layer_types must be a list of num_hidden_layers = 78 entries"},
      {"glm-5.2", R"({"tie_word_embeddings":"no"})",
       "config.json: tie_word_embeddings is \\\"no\\\", must be true or false"},
      {"glm-4.5", R"({"num_key_value_heads":7})",
       "config.json: num_attention_heads 96 is no multiple of num_key_value_heads 7"},
      {"glm-4.5", R"({"partial_rotary_factor":1.5})",
       "config.json: partial_rotary_factor 1.5 of head_dim 128 rotates 192 elements, must be an "
       "even number from 2 to head_dim"},
      {"glm-4.5", R"({"n_group":3})",
       "config.json: n_routed_experts 160 is no multiple of n_group 3"},
      {"glm-4.5", R"({"n_group":160})",
       "config.json: num_experts_per_tok 8 is more than topk_group 1 groups of 1 hold"},
      {"glm-4-9b",
       R"({"hidden_size":1048576,"intermediate_size":1048576,"num_hidden_layers":1024})",
       "config.json: describes 5.64e+15 parameters, must be at most 1e+15"},
  };
  for (const auto& one : cases) {
    std::string expected = one.message;
    for (std::size_t at = 0; (at = expected.find("\\\"", at)) != std::string::npos;) {
      expected.erase(at, 1);
    }
    EXPECT_EQ(Message(one.model, one.changes), expected) << one.changes;
  }
}

TEST(ConfigParser, TooManyExpertsInAllAreRefusedBeforeTheyAreListed) {
  EXPECT_EQ(Message("glm-5.2", R"({"indexer_types":null,"mlp_layer_types":null,
      "num_hidden_layers":1000,"n_routed_experts":4096})"),
            "config.json: 4096 experts in each of 1001 layers, must be at most 1048576 in all");
}

TEST(ConfigParser, TextThatIsNoObjectIsRefused) {
  EXPECT_EQ(ParseConfig("[1]", "config.json").error().message,
            "config.json: is an array, must be an object");
  EXPECT_FALSE(ParseConfig("", "config.json").ok());
}

}  // namespace
}  // namespace glint::spec
