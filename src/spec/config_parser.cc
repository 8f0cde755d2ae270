// SPDX-License-Identifier: Apache-2.0
#include "spec/config_parser.h"

#include <algorithm>

#include "base/format.h"
#include "base/json.h"
#include "spec/config_reader.h"
#include "spec/indexer_schedule.h"
#include "spec/parameters.h"

namespace glint::spec {
namespace {

constexpr std::int64_t kMostLayers = 1024;
constexpr std::int64_t kMostExperts = 4096;
constexpr std::int64_t kMostExpertsInAll = std::int64_t{1} << 20;
constexpr std::int64_t kMostWidth = std::int64_t{1} << 20;
constexpr std::int64_t kMostVocabulary = std::int64_t{1} << 24;
constexpr std::int64_t kMostPositions = std::int64_t{1} << 31;
constexpr double kMostParameters = 1e15;

constexpr Architecture kArchitectures[] = {Architecture::kGlmMoeDsa, Architecture::kGlm4MoeLite,
                                           Architecture::kGlm4Moe,   Architecture::kGlm4,
                                           Architecture::kGlm,       Architecture::kLlama};

Result<Architecture> ReadArchitecture(const Json& config, std::string_view where) {
  const Json* type = config.Find("model_type");
  const std::string* name = type == nullptr ? nullptr : type->string();
  std::string known;
  for (const Architecture architecture : kArchitectures) {
    if (name != nullptr && *name == ArchitectureName(architecture)) return architecture;
    known += (known.empty() ? "" : ", ") + std::string(ArchitectureName(architecture));
  }
  if (name == nullptr) {
    return InvalidArgument(format("{}: model_type is missing, must be one of {}", where, known));
  }
  return InvalidArgument(
      format("{}: model_type {} is not supported, must be one of {}", where, Quoted(*name), known));
}

// rope_theta and partial_rotary_factor stand at the top level or, since transformers 5, in
// rope_parameters; the latter wins. Scaled rope variants change every angle: refused.
void ReadRope(ConfigReader& reader, std::int64_t head_dim, double default_share, ModelSpec& model) {
  const Json empty(Json::Object{});
  const Json* nested = reader.Find("rope_parameters");
  if (nested != nullptr && nested->object() == nullptr) {
    reader.Problem(format("rope_parameters is {}, must be an object", nested->TypeName()));
    nested = nullptr;
  }
  ConfigReader inner(nested == nullptr ? empty : *nested, "rope_parameters");
  inner.RequireIfPresent("rope_type", "default");
  if (const Json* scaling = reader.Find("rope_scaling")) {
    ConfigReader scaled(*scaling, "rope_scaling");
    scaled.RequireIfPresent("rope_type", "default");
    scaled.RequireIfPresent("type", "default");
    if (scaling->object() == nullptr) scaled.Problem("must be an object or null");
    if (const Status status = scaled.Finish(); !status.ok()) reader.Problem(status.error().message);
  }
  const bool theta_inside = inner.Find("rope_theta") != nullptr;
  model.rope.theta = theta_inside ? inner.Positive("rope_theta") : reader.Positive("rope_theta");
  const double share = inner.Find("partial_rotary_factor") != nullptr
                           ? inner.Positive("partial_rotary_factor")
                           : reader.PositiveOr("partial_rotary_factor", default_share);
  if (const Status status = inner.Finish(); !status.ok()) reader.Problem(status.error().message);
  if (model.mla) {
    model.rope.width = model.mla->rope_dim;
    return;
  }
  const double width = static_cast<double>(head_dim) * share;
  model.rope.width = static_cast<std::int64_t>(std::min(width, 1e9));
  if (share > 1 || model.rope.width < 2 || model.rope.width % 2 != 0) {
    reader.Problem(
        format("partial_rotary_factor {} of head_dim {} rotates {} elements, must be an "
               "even number from 2 to head_dim",
               share, head_dim, width));
  }
}

void ReadMla(ConfigReader& reader, ModelSpec& model) {
  MlaSpec mla;
  mla.q_lora_rank = reader.Int("q_lora_rank", 1, kMostWidth);
  mla.kv_lora_rank = reader.Int("kv_lora_rank", 1, kMostWidth);
  mla.nope_dim = reader.Int("qk_nope_head_dim", 1, kMostWidth);
  mla.rope_dim = reader.Int("qk_rope_head_dim", 2, kMostWidth);
  mla.v_dim = reader.Int("v_head_dim", 1, kMostWidth);
  if (mla.rope_dim % 2 != 0) {
    reader.Problem(format("qk_rope_head_dim is {}, must be even", mla.rope_dim));
  }
  if (reader.BoolOr("attention_bias", false)) {
    reader.Problem("attention_bias is true, which latent attention does not support");
  }
  model.mla = mla;
  model.rope.interleaved = reader.BoolOr("rope_interleave", true);
  // head_dim is ignored: GLM-5.x publishes 64 or 192 there, and neither is a width of anything.
  ReadRope(reader, 0, 1, model);
}

void ReadGqa(ConfigReader& reader, ModelSpec& model) {
  const bool llama = model.architecture == Architecture::kLlama;
  GqaSpec gqa;
  gqa.kv_heads = llama ? reader.IntOr("num_key_value_heads", model.heads, 1, model.heads)
                       : reader.Int("num_key_value_heads", 1, model.heads);
  gqa.head_dim = reader.IntOr(
      "head_dim", std::max<std::int64_t>(1, model.hidden_size / model.heads), 1, kMostWidth);
  gqa.qkv_bias = reader.BoolOr("attention_bias", false);
  // Llama's flag means a bias on o as well, which the forward pass does not have.
  if (llama && gqa.qkv_bias) reader.Problem("attention_bias is true, which is not supported");
  gqa.qk_norm = reader.BoolOr("use_qk_norm", false);
  if (model.heads % gqa.kv_heads != 0) {
    reader.Problem(format("num_attention_heads {} is no multiple of num_key_value_heads {}",
                          model.heads, gqa.kv_heads));
  }
  model.gqa = gqa;
  model.rope.interleaved = model.architecture != Architecture::kGlm4Moe && !llama;
  ReadRope(reader, gqa.head_dim, llama ? 1.0 : 0.5, model);
}

void ReadIndexer(ConfigReader& reader, ModelSpec& model) {
  IndexerSpec indexer;
  indexer.heads = reader.Int("index_n_heads", 1, kMostWidth);
  indexer.head_dim = reader.Int("index_head_dim", 2, kMostWidth);
  indexer.top_k = reader.Int("index_topk", 1, kMostPositions);
  // Half-split rope in the indexer is a known bug of early GLM-5 code, not a model that exists.
  if (!reader.BoolOr("indexer_rope_interleave", true)) {
    reader.Problem("indexer_rope_interleave is false, GLM's indexer is interleaved");
  }
  indexer.share_for_mtp = reader.BoolOr("index_share_for_mtp_iteration", false);
  if (indexer.head_dim < model.mla->rope_dim) {
    reader.Problem(format("index_head_dim is {}, must be at least qk_rope_head_dim {}",
                          indexer.head_dim, model.mla->rope_dim));
  }
  model.indexer = indexer;
  ReadIndexerSchedule(reader, model);
}

void ReadMlpKinds(ConfigReader& reader, ModelSpec& model) {
  const Json* types = reader.Find("mlp_layer_types");
  if (types == nullptr) {
    const std::int64_t dense = reader.Int("first_k_dense_replace", 0, model.TrunkLayers());
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      model.layers[i].mlp = static_cast<std::int64_t>(i) < dense ? MlpKind::kDense : MlpKind::kMoe;
    }
    return;
  }
  const Json::Array* items = types->array();
  if (items == nullptr || items->size() != model.layers.size()) {
    reader.Problem(format("mlp_layer_types must be a list of num_hidden_layers = {} entries",
                          model.layers.size()));
    return;
  }
  for (std::size_t i = 0; i < items->size(); ++i) {
    const std::string* kind = (*items)[i].string();
    if (kind == nullptr || (*kind != "dense" && *kind != "sparse")) {
      reader.Problem(format("mlp_layer_types[{}] is {}, must be \"dense\" or \"sparse\"", i,
                            kind == nullptr ? std::string((*items)[i].TypeName()) : Quoted(*kind)));
      return;
    }
    model.layers[i].mlp = *kind == "dense" ? MlpKind::kDense : MlpKind::kMoe;
  }
}

void ReadMoe(ConfigReader& reader, ModelSpec& model) {
  MoeSpec moe;
  moe.experts = reader.Int("n_routed_experts", 1, kMostExperts);
  moe.top_k = reader.Int("num_experts_per_tok", 1, moe.experts);
  moe.expert_width = reader.Int("moe_intermediate_size", 1, kMostWidth);
  moe.shared_width = reader.IntOr("n_shared_experts", 0, 0, 64) * moe.expert_width;
  moe.groups = reader.IntOr("n_group", 1, 1, moe.experts);
  moe.top_groups = reader.IntOr("topk_group", 1, 1, moe.groups);
  moe.normalise_top_k = reader.BoolOr("norm_topk_prob", true);
  moe.scaling = reader.PositiveOr("routed_scaling_factor", 1.0);
  // GLM routes by sigmoid; some configs leave the field out, none says otherwise.
  reader.RequireIfPresent("scoring_func", "sigmoid");
  reader.RequireIfPresent("topk_method", "noaux_tc");
  if (moe.experts % moe.groups != 0) {
    reader.Problem(
        format("n_routed_experts {} is no multiple of n_group {}", moe.experts, moe.groups));
  } else if (moe.top_k > moe.experts / moe.groups * moe.top_groups) {
    reader.Problem(format("num_experts_per_tok {} is more than topk_group {} groups of {} hold",
                          moe.top_k, moe.top_groups, moe.experts / moe.groups));
  }
  if (moe.experts * model.AllLayers() > kMostExpertsInAll) {
    reader.Problem(format("{} experts in each of {} layers, must be at most {} in all", moe.experts,
                          model.AllLayers(), kMostExpertsInAll));
  }
  model.moe = moe;
  ReadMlpKinds(reader, model);
  for (LayerSpec& layer : model.mtp_layers) layer.mlp = MlpKind::kMoe;
}

void ReadEosIds(ConfigReader& reader, ModelSpec& model) {
  const Json* ids = reader.Find("eos_token_id");
  if (ids == nullptr) return;
  const Json::Array one = {*ids};
  for (const Json& id : ids->array() != nullptr ? *ids->array() : one) {
    const auto number = id.AsInt();
    if (!number || *number < 0 || *number >= model.vocab_size) {
      reader.Problem(format("eos_token_id holds {}, must be ids below vocab_size {}",
                            Quoted(id.Write()), model.vocab_size));
      return;
    }
    model.eos_ids.push_back(*number);
  }
}

void ReadCommon(ConfigReader& reader, ModelSpec& model) {
  model.vocab_size = reader.Int("vocab_size", 1, kMostVocabulary);
  model.hidden_size = reader.Int("hidden_size", 1, kMostWidth);
  model.heads = reader.Int("num_attention_heads", 1, kMostWidth);
  model.dense_width = reader.Int("intermediate_size", 1, kMostWidth);
  model.max_positions = reader.Int("max_position_embeddings", 1, kMostPositions);
  model.rms_epsilon = reader.Positive("rms_norm_eps");
  model.tied_embeddings = reader.BoolOr("tie_word_embeddings", false);
  reader.RequireIfPresent("hidden_act", "silu");
  if (reader.BoolOr("mlp_bias", false)) reader.Problem("mlp_bias is true, which is not supported");
  const std::int64_t layers = reader.Int("num_hidden_layers", 1, kMostLayers);
  model.layers.resize(static_cast<std::size_t>(layers));
  for (const char* key : {"dtype", "torch_dtype"}) {
    const Json* dtype = reader.Find(key);
    if (dtype != nullptr && dtype->string() != nullptr) model.stored_dtype = *dtype->string();
  }
  ReadEosIds(reader, model);
}

}  // namespace

const char* ArchitectureName(Architecture architecture) {
  constexpr const char* kNames[] = {"glm_moe_dsa", "glm4_moe_lite", "glm4_moe",
                                    "glm4",        "glm",           "llama"};
  return kNames[static_cast<int>(architecture)];
}

Result<ModelSpec> ParseConfig(std::string_view json, std::string_view where) {
  GLINT_ASSIGN(const Json config, ParseJson(json, where));
  return ReadConfig(config, where, nullptr);
}

Result<ModelSpec> ReadConfig(const Json& config, std::string_view where,
                             const SpelledKeys* spelled) {
  if (config.object() == nullptr) {
    return InvalidArgument(format("{}: is {}, must be an object", where, config.TypeName()));
  }
  ModelSpec model;
  GLINT_ASSIGN(model.architecture, ReadArchitecture(config, where));
  ConfigReader reader(config, std::string(where), spelled);
  ReadCommon(reader, model);

  const bool mla = model.architecture == Architecture::kGlmMoeDsa ||
                   model.architecture == Architecture::kGlm4MoeLite;
  const bool moe = mla || model.architecture == Architecture::kGlm4Moe;
  if (moe) {
    const std::int64_t mtp_layers = reader.IntOr("num_nextn_predict_layers", 0, 0, 16);
    model.mtp_layers.resize(static_cast<std::size_t>(mtp_layers));
    model.mtp_own_embeddings =
        !model.mtp_layers.empty() && model.architecture != Architecture::kGlmMoeDsa;
  }
  if (mla) {
    ReadMla(reader, model);
  } else {
    ReadGqa(reader, model);
  }
  if (model.architecture == Architecture::kGlmMoeDsa) ReadIndexer(reader, model);
  if (moe) ReadMoe(reader, model);
  model.sandwich_norms = model.architecture == Architecture::kGlm4;
  model.fused_gate_up = !moe && model.architecture != Architecture::kLlama;
  GLINT_TRY(reader.Finish());

  if (const double parameters = EstimateParameters(model); parameters > kMostParameters) {
    return InvalidArgument(format("{}: describes {:.3g} parameters, must be at most {:.0e}", where,
                                  parameters, kMostParameters));
  }
  return model;
}

}  // namespace glint::spec
