# SPDX-License-Identifier: Apache-2.0
"""The model's shape: a GLM-5.2 in small. CONFIG becomes config.json as it stands."""

BASE_VOCAB = 4096
ADDED_TOKENS = [
    "<|endoftext|>", "[MASK]", "[gMASK]", "[sMASK]", "<sop>", "<eop>", "<|system|>", "<|user|>",
    "<|assistant|>", "<|observation|>", "<|begin_of_image|>", "<|end_of_image|>",
    "<|begin_of_video|>", "<|end_of_video|>", "<|begin_of_audio|>", "<|end_of_audio|>",
    "<|begin_of_transcription|>", "<|end_of_transcription|>", "<|code_prefix|>", "<|code_middle|>",
    "<|code_suffix|>", "<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>",
    "</tool_response>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "/nothink",
    "<|begin_of_box|>", "<|end_of_box|>", "<|image|>", "<|video|>",
]  # fmt: skip
SPECIAL_COUNT = 18  # the first ones are dropped from decoded text, the others survive
TOKEN_ID = {token: BASE_VOCAB + k for k, token in enumerate(ADDED_TOKENS)}
EOS_IDS = [TOKEN_ID[token] for token in ("<|endoftext|>", "<|user|>", "<|observation|>")]

TRAINED_CONTEXT = 1024

CONFIG = {
    "architectures": ["GlmMoeDsaForCausalLM"],
    "model_type": "glm_moe_dsa",
    "dtype": "bfloat16",
    "vocab_size": 4160,
    "hidden_size": 256,
    "num_hidden_layers": 5,
    "num_attention_heads": 8,
    "num_key_value_heads": 8,
    "q_lora_rank": 128,
    "kv_lora_rank": 128,
    "qk_nope_head_dim": 32,
    "qk_rope_head_dim": 32,
    "qk_head_dim": 64,
    "v_head_dim": 32,
    "head_dim": 32,
    "intermediate_size": 768,
    "moe_intermediate_size": 128,
    "n_routed_experts": 8,
    "num_experts_per_tok": 2,
    "n_shared_experts": 1,
    "first_k_dense_replace": 1,
    "mlp_layer_types": ["dense", "sparse", "sparse", "sparse", "sparse"],
    "moe_layer_freq": 1,
    "n_group": 1,
    "topk_group": 1,
    "norm_topk_prob": True,
    "routed_scaling_factor": 2.5,
    "scoring_func": "sigmoid",
    "topk_method": "noaux_tc",
    "moe_router_dtype": "float32",
    "hidden_act": "silu",
    "attention_bias": False,
    "attention_dropout": 0.0,
    "mlp_bias": False,
    "initializer_range": 0.02,
    "rms_norm_eps": 1e-6,
    "tie_word_embeddings": False,
    "max_position_embeddings": 32768,
    "rope_parameters": {"rope_theta": 100000, "rope_type": "default"},
    "rope_interleave": True,
    "indexer_rope_interleave": True,
    "index_n_heads": 16,
    "index_head_dim": 64,
    "index_topk": 128,
    "indexer_types": ["full", "shared", "full", "shared", "shared"],
    "index_share_for_mtp_iteration": True,
    "num_nextn_predict_layers": 1,
    "eos_token_id": EOS_IDS,
    "pad_token_id": EOS_IDS[0],
    "use_cache": True,
    "transformers_version": "5.24.0",
}
