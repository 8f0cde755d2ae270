// SPDX-License-Identifier: Apache-2.0
#include "spec/gguf_config.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "spec/config_parser.h"

namespace glint::spec {
namespace {

struct ArchitectureRow {
  std::string_view gguf;
  Architecture architecture;
};

constexpr ArchitectureRow kArchitectures[] = {
    {"glm-dsa", Architecture::kGlmMoeDsa}, {"deepseek2", Architecture::kGlm4MoeLite},
    {"glm4moe", Architecture::kGlm4Moe},   {"glm4", Architecture::kGlm4},
    {"chatglm", Architecture::kGlm},       {"llama", Architecture::kLlama},
};

// A value that only changes its name. Keys stand behind the architecture and a dot.
struct Renamed {
  std::string_view gguf;
  std::string_view config;
};

constexpr Renamed kCommon[] = {
    {"vocab_size", "vocab_size"},
    {"context_length", "max_position_embeddings"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"attention.head_count", "num_attention_heads"},
    {"attention.layer_norm_rms_epsilon", "rms_norm_eps"},
    {"rope.freq_base", "rope_theta"},
};
constexpr Renamed kGrouped[] = {
    {"attention.head_count_kv", "num_key_value_heads"},
    {"attention.key_length", "head_dim"},
};
constexpr Renamed kLatent[] = {
    {"attention.q_lora_rank", "q_lora_rank"},
    {"attention.kv_lora_rank", "kv_lora_rank"},
    {"rope.dimension_count", "qk_rope_head_dim"},
};
constexpr Renamed kMoe[] = {
    {"expert_count", "n_routed_experts"},
    {"expert_used_count", "num_experts_per_tok"},
    {"expert_shared_count", "n_shared_experts"},
    {"expert_feed_forward_length", "moe_intermediate_size"},
    {"expert_group_count", "n_group"},
    {"expert_group_used_count", "topk_group"},
    {"expert_weights_scale", "routed_scaling_factor"},
    {"expert_weights_norm", "norm_topk_prob"},
    {"leading_dense_block_count", "first_k_dense_replace"},
    {"nextn_predict_layers", "num_nextn_predict_layers"},
};
constexpr Renamed kIndexer[] = {
    {"attention.indexer.head_count", "index_n_heads"},
    {"attention.indexer.key_length", "index_head_dim"},
    {"attention.indexer.top_k", "index_topk"},
};

// GLM-5.2's context; files that have it but no indexer types are from before the key existed, and
// follow 5.2's schedule. Earlier models have an indexer in every layer.
constexpr std::int64_t kSharedIndexContext = 1'048'576;
constexpr double kDefaultTheta = 10'000;
constexpr std::int64_t kSigmoid = 2;

// Builds the config.json that the metadata means.
class Translator {
 public:
  Translator(const Json& metadata, const GgufTensorFacts& facts, std::string_view where,
             const ArchitectureRow& row)
      : metadata_(metadata),
        facts_(facts),
        where_(where),
        architecture_(row.architecture),
        prefix_(format("{}.", row.gguf)) {}

  Result<ModelSpec> Translate() {
    config_.Add("model_type", ArchitectureName(architecture_));
    Rename(kCommon);
    GLINT_TRY(ReadLayers());
    const bool latent =
        architecture_ == Architecture::kGlmMoeDsa || architecture_ == Architecture::kGlm4MoeLite;
    GLINT_TRY(latent ? ReadLatent() : ReadGrouped());
    if (latent || architecture_ == Architecture::kGlm4Moe) GLINT_TRY(ReadMoe());
    if (architecture_ == Architecture::kGlmMoeDsa) GLINT_TRY(ReadIndexer());
    if (architecture_ == Architecture::kLlama) GLINT_TRY(ReadLlama());
    GLINT_TRY(ReadRopeScaling());
    ReadTensorFacts();
    ReadEndTokens();
    GLINT_ASSIGN(ModelSpec model, ReadConfig(config_, where_, &spelled_));
    // Converters permute llama's q and k so that the rotated pairs lie side by side.
    if (architecture_ == Architecture::kLlama) model.rope.interleaved = true;
    return model;
  }

 private:
  [[nodiscard]] const Json* Find(std::string_view key) const {
    return metadata_.Find(format("{}{}", prefix_, key));
  }
  [[nodiscard]] Error Bad(std::string_view key, std::string_view what) const {
    return InvalidArgument(format("{}: key \"{}{}\": {}", where_, prefix_, key, what));
  }

  void Set(std::string_view config, std::string_view gguf, Json value) {
    spelled_.emplace(config, format("key \"{}{}\"", prefix_, gguf));
    config_.Add(std::string(config), std::move(value));
  }

  // Those that are absent keep their name for the message that says so.
  template <typename Rows>
  void Rename(const Rows& rows) {
    for (const Renamed& row : rows) {
      const Json* value = Find(row.gguf);
      Set(row.config, row.gguf, value == nullptr ? Json() : *value);
    }
  }

  Result<std::int64_t> Int(std::string_view key) const {
    const Json* value = Find(key);
    const auto number = value == nullptr ? std::nullopt : value->AsInt();
    if (number && *number >= 0) return *number;
    return Bad(key, value == nullptr ? "is missing" : "must be an integer of at least 0");
  }
  Result<std::int64_t> IntOr(std::string_view key, std::int64_t absent) const {
    if (Find(key) == nullptr) return absent;
    return Int(key);
  }

  // Blocks count the MTP layers, num_hidden_layers does not.
  Status ReadLayers() {
    GLINT_ASSIGN(blocks_, Int("block_count"));
    GLINT_ASSIGN(const std::int64_t mtp, IntOr("nextn_predict_layers", 0));
    if (mtp >= blocks_) {
      return Bad("nextn_predict_layers", format("is {}, of {} blocks in all", mtp, blocks_));
    }
    trunk_ = blocks_ - mtp;
    Set("num_hidden_layers", "block_count", trunk_);
    return Ok();
  }

  Status ReadLatent() {
    Rename(kLatent);
    // In files whose kv_b is split, key_length and value_length are those of the latent cache.
    const bool split = Find("attention.key_length_mla") != nullptr;
    const char* key_name = split ? "attention.key_length_mla" : "attention.key_length";
    const char* value_name = split ? "attention.value_length_mla" : "attention.value_length";
    GLINT_ASSIGN(const std::int64_t key, Int(key_name));
    GLINT_ASSIGN(const std::int64_t value, Int(value_name));
    GLINT_ASSIGN(const std::int64_t rope, Int("rope.dimension_count"));
    if (rope >= key) {
      return Bad("rope.dimension_count",
                 format("is {}, must be less than {} {}", rope, key_name, key));
    }
    Set("qk_nope_head_dim", key_name, key - rope);
    Set("v_head_dim", value_name, value);
    return Ok();
  }

  Status ReadGrouped() {
    Rename(kGrouped);
    GLINT_ASSIGN(const std::int64_t hidden, Int("embedding_length"));
    GLINT_ASSIGN(const std::int64_t heads, Int("attention.head_count"));
    if (heads == 0) return Bad("attention.head_count", "is 0, must be at least 1");
    GLINT_ASSIGN(const std::int64_t key, IntOr("attention.key_length", hidden / heads));
    GLINT_ASSIGN(const std::int64_t value, IntOr("attention.value_length", key));
    if (value != key) {
      return Bad("attention.value_length", format("is {}, must be the key's {}", value, key));
    }
    if (Find("rope.dimension_count") == nullptr) return Ok();
    GLINT_ASSIGN(const std::int64_t rope, Int("rope.dimension_count"));
    if (rope < 2 || rope % 2 != 0 || rope > key) {
      return Bad("rope.dimension_count",
                 format("is {}, must be an even number from 2 to the head's {}", rope, key));
    }
    // The parser cuts the product with the head off, so a quarter keeps rounding away.
    const double share = (static_cast<double>(rope) + 0.25) / static_cast<double>(key);
    Set("partial_rotary_factor", "rope.dimension_count", rope == key ? 1.0 : share);
    return Ok();
  }

  Status ReadMoe() {
    Rename(kMoe);
    // Files from before the key are GLM's: sigmoid.
    GLINT_ASSIGN(const std::int64_t gating, IntOr("expert_gating_func", kSigmoid));
    if (gating != kSigmoid) {
      return Bad("expert_gating_func", format("is {}, only 2 (sigmoid) is supported", gating));
    }
    return Ok();
  }

  Status ReadIndexer() {
    Rename(kIndexer);
    const Json* types = Find("attention.indexer.types");
    if (types == nullptr) {
      GLINT_ASSIGN(const std::int64_t context, Int("context_length"));
      const bool shares = context >= kSharedIndexContext;
      config_.Add("index_topk_freq", shares ? 4 : 1);
      config_.Add("index_skip_topk_offset", shares ? 3 : 2);
      config_.Add("index_share_for_mtp_iteration", shares);
      return Ok();
    }
    GLINT_ASSIGN(const std::vector<bool> full, ReadTypes(*types));
    Json::Array words;
    for (const bool one : full) words.emplace_back(one ? "full" : "shared");
    const bool shares = std::find(full.begin(), full.end(), false) != full.end();
    config_.Add("index_share_for_mtp_iteration", shares);
    Set("indexer_types", "attention.indexer.types", std::move(words));
    return Ok();
  }

  // Of the trunk; a file may list the MTP layer too.
  Result<std::vector<bool>> ReadTypes(const Json& types) const {
    std::vector<bool> full;
    const auto items =
        types.array() == nullptr ? 0 : static_cast<std::int64_t>(types.array()->size());
    if (items != trunk_ && items != blocks_) {
      return Bad("attention.indexer.types", format("must be an array of {} items", blocks_));
    }
    for (const Json& item : *types.array()) {
      const auto number = item.AsInt();
      if (item.boolean() == nullptr && !number) {
        return Bad("attention.indexer.types", "must hold booleans");
      }
      full.push_back(item.boolean() != nullptr ? *item.boolean() : *number != 0);
    }
    full.resize(static_cast<std::size_t>(trunk_));
    return full;
  }

  Status ReadLlama() {
    GLINT_ASSIGN(const std::int64_t experts, IntOr("expert_count", 0));
    if (experts != 0)
      return Bad("expert_count", format("is {}, llama with experts is not supported", experts));
    if (Find("rope.freq_base") == nullptr) config_.Add("rope_theta", kDefaultTheta);
    return Ok();
  }

  // Scaled rope changes every angle.
  [[nodiscard]] Status ReadRopeScaling() const {
    const Json* type = Find("rope.scaling.type");
    if (type != nullptr && (type->string() == nullptr || *type->string() != "none")) {
      return Bad("rope.scaling.type",
                 format("is {}, scaled rope is not supported", Quoted(type->Write())));
    }
    for (const char* key : {"rope.scaling.factor", "rope.scale_linear"}) {
      const Json* factor = Find(key);
      if (factor != nullptr && factor->AsDouble() != 1.0) {
        return Bad(key, format("is {}, scaled rope is not supported", Quoted(factor->Write())));
      }
    }
    return Ok();
  }

  void ReadTensorFacts() {
    if (Find("vocab_size") == nullptr && facts_.vocab_rows > 0) {
      config_.Add("vocab_size", facts_.vocab_rows);
    }
    config_.Add("tie_word_embeddings", !facts_.has_output);
    config_.Add("attention_bias", facts_.has_qkv_bias);
    config_.Add("use_qk_norm", facts_.has_qk_norm);
  }

  // End of text, of a turn, of a message. GLM's are three different tokens.
  void ReadEndTokens() {
    Json::Array ids;
    std::vector<std::string> seen;
    for (const char* name : {"eos", "eot", "eom"}) {
      const Json* id = metadata_.Find(format("tokenizer.ggml.{}_token_id", name));
      if (id == nullptr) continue;
      std::string text = id->Write();
      if (std::find(seen.begin(), seen.end(), text) != seen.end()) continue;
      seen.push_back(std::move(text));
      ids.push_back(*id);
    }
    if (!ids.empty()) config_.Add("eos_token_id", std::move(ids));
  }

  const Json& metadata_;
  const GgufTensorFacts& facts_;
  std::string_view where_;
  Architecture architecture_;
  std::string prefix_;
  std::int64_t blocks_ = 0;
  std::int64_t trunk_ = 0;
  Json config_ = Json(Json::Object{});
  SpelledKeys spelled_;
};

}  // namespace

Result<ModelSpec> ParseGgufConfig(const Json& metadata, const GgufTensorFacts& facts,
                                  std::string_view where) {
  const Json* name = metadata.Find("general.architecture");
  if (name == nullptr || name->string() == nullptr) {
    return InvalidArgument(format("{}: key \"general.architecture\": {}", where,
                                  name == nullptr ? "is missing" : "must be a string"));
  }
  std::string known;
  for (const ArchitectureRow& row : kArchitectures) {
    if (row.gguf == *name->string()) return Translator(metadata, facts, where, row).Translate();
    known += (known.empty() ? "" : ", ") + std::string(row.gguf);
  }
  return InvalidArgument(
      format("{}: key \"general.architecture\": {} is not supported, must be one of {}", where,
             Quoted(*name->string()), known));
}

}  // namespace glint::spec
