// SPDX-License-Identifier: Apache-2.0
#include "spec/parameters.h"

#include <gtest/gtest.h>

#include <set>

#include "spec/builtin_models.h"
#include "spec/config_parser.h"

namespace glint::spec {
namespace {

ModelSpec Builtin(std::string_view name) { return ParseBuiltin(name).value(); }

// glm-architecture.md section 7 item 1: the parameter audit of section 2.13.
TEST(Parameters, AuditOfGlm52) {
  const ParameterCounts counts = CountParameters(Builtin("glm-5.2"));
  EXPECT_EQ(counts.total, 753'329'940'480);
  EXPECT_EQ(counts.trunk, 743'377'019'904);
  EXPECT_EQ(counts.active, 40'298'947'584);
  EXPECT_EQ(counts.tensors, 59'585);
}

TEST(Parameters, PartsOfALayerOfGlm52) {
  std::int64_t attention = 0;
  std::int64_t indexer = 0;
  std::int64_t mlp = 0;
  for (const TensorGroup& group : ListTensors(Builtin("glm-5.2"))) {
    if (group.layer != 6) continue;
    if (group.name.find("self_attn.indexer") != std::string::npos) {
      indexer += group.Elements();
    } else if (group.name.find("self_attn") != std::string::npos) {
      attention += group.Elements();
    } else if (group.name.find("mlp.") != std::string::npos) {
      mlp += group.Elements();
    }
  }
  EXPECT_EQ(attention, 165'022'208);
  EXPECT_EQ(indexer, 9'371'904);
  EXPECT_EQ(mlp, 9'702'998'272);
}

TEST(Parameters, PublishedTotalsOfTheOthers) {
  EXPECT_EQ(CountParameters(Builtin("glm-4.5")).total, 358'337'791'296);
  EXPECT_EQ(CountParameters(Builtin("glm-4.5-air")).total, 110'468'824'832);
  EXPECT_EQ(CountParameters(Builtin("glm-4.7-flash")).total, 31'221'488'576);
  EXPECT_EQ(CountParameters(Builtin("glm-4-9b")).total, 9'399'951'360);
}

TEST(Parameters, ShapesForMeasuring) {
  const ParameterCounts s = CountParameters(Builtin("bench-s"));
  EXPECT_EQ(s.total, 2'020'597'952);
  EXPECT_EQ(s.active, 516'939'968);
  EXPECT_NEAR(static_cast<double>(CountParameters(Builtin("bench-dense")).total), 709.5e6, 0.05e6);
}

TEST(Parameters, NamesAreDistinctAndExpertsNumbered) {
  std::set<std::string> names;
  std::int64_t tensors = 0;
  for (const TensorGroup& group : ListTensors(Builtin("bench-s"))) {
    for (std::int64_t i = 0; i < group.copies; ++i) {
      names.insert(group.NameOf(i));
      ++tensors;
    }
  }
  EXPECT_EQ(static_cast<std::int64_t>(names.size()), tensors);
  EXPECT_TRUE(names.contains("model.layers.11.mlp.experts.63.down_proj.weight"));
  EXPECT_TRUE(names.contains("model.layers.0.mlp.gate_proj.weight"));
  EXPECT_FALSE(names.contains("model.layers.0.mlp.gate.weight"));
}

TEST(Parameters, SharedLayersHaveNoIndexerTensors) {
  std::set<std::int64_t> layers;
  for (const TensorGroup& group : ListTensors(Builtin("glm-5.2"))) {
    if (group.name.find("indexer") != std::string::npos) layers.insert(group.layer);
  }
  EXPECT_EQ(layers.size(), 22U);  // 21 and the MTP layer
  EXPECT_TRUE(layers.contains(78));
  EXPECT_FALSE(layers.contains(3));
}

TEST(Parameters, TiedEmbeddingsAreOneTensorThatIsRead) {
  ModelSpec model = Builtin("bench-dense");
  const ParameterCounts untied = CountParameters(model);
  model.tied_embeddings = true;
  const ParameterCounts tied = CountParameters(model);
  EXPECT_EQ(untied.total - tied.total, 32768 * 1536);
  EXPECT_EQ(untied.active, tied.active);
}

TEST(Parameters, EstimateIsNeverFarBelowTheCount) {
  for (const std::string& name : BuiltinModelNames()) {
    const ModelSpec model = Builtin(name);
    const auto counted = static_cast<double>(CountParameters(model).total);
    EXPECT_GE(EstimateParameters(model), 0.99 * counted) << name;
    EXPECT_LE(EstimateParameters(model), 1.5 * counted) << name;
  }
}

}  // namespace
}  // namespace glint::spec
