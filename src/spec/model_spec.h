// SPDX-License-Identifier: Apache-2.0
// A model as data: every number that config.json fixes, in one description for all
// architectures. No tensor, no file: parameter counts, memory plans, cost models, the forward pass
// and the simulator all read this.
//
// Source of the architectures: glm-architecture.md sections 1 and 2. Shape letters:
// docs/glossary.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace glint::spec {

enum class Architecture : std::uint8_t {
  kGlmMoeDsa,    // GLM-5, 5.1, 5.2: MLA, sparse attention (DSA) with IndexShare, MoE, MTP
  kGlm4MoeLite,  // GLM-4.7-Flash: MLA, MoE, MTP
  kGlm4Moe,      // GLM-4.5, 4.6, 4.7, Air: GQA, MoE, MTP
  kGlm4,         // GLM-4-0414, Z1: GQA, sandwich norms
  kGlm,          // glm-4-9b: GQA
  kLlama,        // Llama 1 to 3 without scaled rope, SmolLM2 and others of that form: GQA
};

// The model_type of config.json: "glm_moe_dsa", ...
const char* ArchitectureName(Architecture architecture);

// Multi-head latent attention. One cached latent of kv_lora_rank + rope_dim values a token and
// layer.
struct MlaSpec {
  std::int64_t q_lora_rank = 0;
  std::int64_t kv_lora_rank = 0;
  std::int64_t nope_dim = 0;  // of a query head, without position
  std::int64_t rope_dim =
      0;  // of a query head, rotated; the cached key part is shared by all heads
  std::int64_t v_dim = 0;
};

// Grouped-query attention.
struct GqaSpec {
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  bool qkv_bias = false;  // on q, k and v; o never has one
  bool qk_norm = false;   // RMS norm per head of q and k, before rope
};

// The lightning indexer of the full layers.
struct IndexerSpec {
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;   // its first MlaSpec::rope_dim elements are rotated, interleaved
  std::int64_t top_k = 0;      // positions a query attends to
  bool share_for_mtp = false;  // draft steps after the first reuse its selection
  double layer_norm_epsilon = 1e-6;  // of k_norm; no config names it
};

struct MoeSpec {
  std::int64_t experts = 0;
  std::int64_t top_k = 0;
  std::int64_t expert_width = 0;
  std::int64_t shared_width = 0;  // shared experts are one MLP this wide; 0 for none
  std::int64_t groups = 1;
  std::int64_t top_groups = 1;
  bool normalise_top_k = true;
  double scaling = 1.0;
};

struct RopeSpec {
  double theta = 0;
  std::int64_t width = 0;   // rotated elements of a head
  bool interleaved = true;  // pairs (2j, 2j+1); else half-split, pairs (j, j + width/2)
};

enum class IndexerRole : std::uint8_t {
  kNone,    // attends to everything
  kFull,    // has an indexer, selects
  kShared,  // attends to what the nearest full layer before it selected
};
enum class MlpKind : std::uint8_t { kDense, kMoe };

struct LayerSpec {
  IndexerRole indexer = IndexerRole::kNone;
  MlpKind mlp = MlpKind::kDense;
  std::int64_t selection_layer = -1;  // whose selection it attends to (itself when full); -1: none
};

struct ModelSpec {
  Architecture architecture = Architecture::kGlmMoeDsa;
  std::int64_t vocab_size = 0;
  std::int64_t hidden_size = 0;
  std::int64_t heads = 0;
  std::int64_t dense_width = 0;  // of the MLP in dense layers
  std::int64_t max_positions = 0;
  double rms_epsilon = 0;  // of every RMS norm, those of q_a and kv_a too
  bool tied_embeddings = false;
  bool sandwich_norms = false;      // branch outputs are normalised before the residual add
  bool fused_gate_up = false;       // dense MLP stored as gate_up_proj, gate rows first
  bool mtp_own_embeddings = false;  // MTP layer stores copies of embedding and lm_head
  RopeSpec rope;
  std::optional<MlaSpec> mla;  // exactly one of mla and gqa
  std::optional<GqaSpec> gqa;
  std::optional<IndexerSpec> indexer;
  std::optional<MoeSpec> moe;
  std::vector<LayerSpec> layers;      // the trunk
  std::vector<LayerSpec> mtp_layers;  // stored after the trunk: index layers.size() + i
  std::vector<std::int64_t> eos_ids;  // generation stops at any of them; may be empty
  std::string stored_dtype;           // "bfloat16", as config.json says; may be empty

  [[nodiscard]] std::int64_t TrunkLayers() const {
    return static_cast<std::int64_t>(layers.size());
  }
  [[nodiscard]] std::int64_t AllLayers() const {
    return TrunkLayers() + static_cast<std::int64_t>(mtp_layers.size());
  }
  // Layer `index` of trunk and MTP in storage order, 0 .. AllLayers() - 1.
  [[nodiscard]] const LayerSpec& Layer(std::int64_t index) const {
    return index < TrunkLayers() ? layers[static_cast<std::size_t>(index)]
                                 : mtp_layers[static_cast<std::size_t>(index - TrunkLayers())];
  }
};

}  // namespace glint::spec
