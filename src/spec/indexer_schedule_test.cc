// SPDX-License-Identifier: Apache-2.0
#include "spec/indexer_schedule.h"

#include <gtest/gtest.h>

#include "spec/builtin_models.h"
#include "spec/config_parser.h"

namespace glint::spec {
namespace {

std::string Letters(const ModelSpec& model) {
  std::string letters;
  for (const LayerSpec& layer : model.layers) {
    letters += layer.indexer == IndexerRole::kFull ? 'F' : 'S';
  }
  return letters;
}

// A config of six layers with the given schedule fields added.
std::string SixLayers(const std::string& fields) {
  return R"({"model_type":"glm_moe_dsa","vocab_size":64,"hidden_size":64,"num_hidden_layers":6,
    "num_attention_heads":2,"q_lora_rank":32,"kv_lora_rank":32,"qk_nope_head_dim":16,
    "qk_rope_head_dim":8,"v_head_dim":16,"intermediate_size":64,"moe_intermediate_size":32,
    "n_routed_experts":4,"num_experts_per_tok":2,"first_k_dense_replace":1,"rms_norm_eps":1e-5,
    "max_position_embeddings":512,"rope_theta":10000,"index_n_heads":4,"index_head_dim":16,
    "index_topk":8)" +
         fields + "}";
}

Result<ModelSpec> Parse(const std::string& fields) {
  return ParseConfig(SixLayers(fields), "config.json");
}

// glm-architecture.md section 7 item 1: the schedule formula equals indexer_types.
TEST(IndexerSchedule, FormulaReproducesTheListOfGlm52) {
  const ModelSpec model = ParseBuiltin("glm-5.2").value();
  const std::vector<IndexerRole> formula = ScheduleByFormula(78, 4, 3);
  for (std::size_t i = 0; i < formula.size(); ++i) {
    EXPECT_EQ(formula[i], model.layers[i].indexer) << "layer " << i;
  }
}

TEST(IndexerSchedule, SharedLayersReadTheNearestFullLayerBefore) {
  const ModelSpec model = ParseBuiltin("glm-5.2").value();
  const auto source = [&](std::size_t layer) { return model.layers[layer].selection_layer; };
  EXPECT_EQ(source(2), 2);
  EXPECT_EQ(source(3), 2);
  EXPECT_EQ(source(5), 2);
  EXPECT_EQ(source(6), 6);
  EXPECT_EQ(source(9), 6);
  EXPECT_EQ(source(77), 74);
  EXPECT_EQ(model.mtp_layers[0].indexer, IndexerRole::kFull);
  EXPECT_EQ(model.mtp_layers[0].selection_layer, 78);
}

TEST(IndexerSchedule, ListWinsOverPatternOverFormula) {
  const std::string list = R"(,"indexer_types":["full","shared","full","shared","full","shared"])";
  const std::string pattern = R"(,"index_topk_pattern":"FFSSFF")";
  const std::string formula = R"(,"index_topk_freq":3,"index_skip_topk_offset":2)";
  EXPECT_EQ(Letters(Parse(list + pattern + formula).value()), "FSFSFS");
  EXPECT_EQ(Letters(Parse(pattern + formula).value()), "FFSSFF");
  EXPECT_EQ(Letters(Parse(formula).value()), "FFSSFS");
  EXPECT_EQ(Letters(Parse("").value()), "FFFFFF");
}

TEST(IndexerSchedule, PatternMayBeAListAndNullsAreAbsent) {
  EXPECT_EQ(Letters(Parse(R"(,"index_topk_pattern":["F","S","S","F","S","S"])").value()), "FSSFSS");
  EXPECT_EQ(Letters(Parse(R"(,"indexer_types":null,"index_topk_pattern":null)").value()), "FFFFFF");
}

TEST(IndexerSchedule, LayerZeroIsFullWhateverTheFormulaSays) {
  EXPECT_EQ(Letters(Parse(R"(,"index_topk_freq":4,"index_skip_topk_offset":0)").value()), "FSSFSS");
}

TEST(IndexerSchedule, BadListsNameTheEntry) {
  const auto message = [](const std::string& fields) { return Parse(fields).error().message; };
  EXPECT_EQ(message(R"(,"indexer_types":["full"])"),
            "config.json: indexer_types has 1 entries, must have num_hidden_layers = 6");
  EXPECT_EQ(message(R"(,"index_topk_pattern":"FSFXFS")"),
            "config.json: index_topk_pattern[3] is \"X\", must be full or shared");
  EXPECT_EQ(message(R"(,"index_topk_pattern":"SFFFFF")"),
            "config.json: index_topk_pattern[0] is shared, but no full layer stands before it");
  EXPECT_EQ(message(R"(,"indexer_types":7)"),
            "config.json: indexer_types has 0 entries, must have num_hidden_layers = 6");
}

}  // namespace
}  // namespace glint::spec
