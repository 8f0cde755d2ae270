// SPDX-License-Identifier: Apache-2.0
// For tests: a tiny GLM-5 of random weights on the CPU, and engines that run it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/format.h"
#include "device/cpu/cpu_device.h"
#include "engine/engine.h"
#include "kernels/isa.h"
#include "kernels/operations_cpu.h"
#include "model/loaded_model.h"
#include "spec/config_parser.h"

namespace glint::engine {

// Two layers, 512 positions, F32, latent and sparse attention, a mixture of experts. `{}` is the
// vocabulary.
inline constexpr const char* kTestConfig = R"({{
  "architectures": ["GlmMoeDsaForCausalLM"], "model_type": "glm_moe_dsa", "vocab_size": {},
  "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "hidden_act": "silu",
  "max_position_embeddings": 512, "rms_norm_eps": 1e-05, "tie_word_embeddings": false,
  "intermediate_size": 64, "q_lora_rank": 32, "kv_lora_rank": 32, "qk_nope_head_dim": 16,
  "qk_rope_head_dim": 16, "qk_head_dim": 32, "v_head_dim": 16, "attention_bias": false,
  "n_routed_experts": 4, "num_experts_per_tok": 2, "n_shared_experts": 1,
  "moe_intermediate_size": 32, "first_k_dense_replace": 1, "n_group": 1, "topk_group": 1,
  "norm_topk_prob": true, "routed_scaling_factor": 2.5, "num_nextn_predict_layers": 0,
  "head_dim": 16, "index_n_heads": 16, "index_head_dim": 32, "index_topk": 8,
  "indexer_types": ["full", "shared"], "indexer_rope_interleave": true, "rope_interleave": true,
  "rope_parameters": {{"rope_theta": 8000000, "rope_type": "default"}},
  "mlp_layer_types": ["dense", "sparse"], "scoring_func": "sigmoid", "topk_method": "noaux_tc"}})";

// Outlives the engines that it starts.
struct TestEngine {
  explicit TestEngine(std::int64_t vocab_size,
                      device::CpuStreams streams = device::CpuStreams::kQueued)
      : device(device::MakeCpuDevice(2, nullptr, streams)),
        model(
            model::LoadSynthetic(spec::ParseConfig(format(kTestConfig, vocab_size), "test").value(),
                                 *device, 7, {.dtype = tensor::DType::kF32})
                .value()) {}
  static const kernels::OperationTable& Operations() {
    return kernels::CpuOperations(kernels::Isa::kBaseline);
  }
  std::unique_ptr<Engine> Start(EngineOptions options = {}) {
    options.cache_dtype = tensor::DType::kF32;
    auto engine = Engine::Create(model, Operations(), *device, options);
    EXPECT_TRUE(engine.ok()) << engine.error().message;
    return std::move(engine).value();
  }
  std::unique_ptr<device::Device> device;
  model::LoadedModel model;
};

}  // namespace glint::engine
