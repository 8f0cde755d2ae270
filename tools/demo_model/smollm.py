# SPDX-License-Identifier: Apache-2.0
"""SmolLM2-135M-Instruct from its GGUF file: tokenizer, batched decoding step, perplexity.

The decoding step has no data-dependent shape and no host read, so that it can be a CUDA graph.
GGUF keeps the rows of q and k in the interleaved rope order, which is applied as such.
"""

import torch
import torch.nn.functional as F
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

import gguf_file

END_OF_TURN = 2  # <|im_end|>


def make_tokenizer(metadata):
    """The byte-level BPE that the GGUF metadata describes; control tokens match as text."""
    tokens = metadata["tokenizer.ggml.tokens"]
    merges = [tuple(line.split(" ")) for line in metadata["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE({t: i for i, t in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(False, use_regex=True)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    kinds = metadata["tokenizer.ggml.token_type"]
    tokenizer.add_special_tokens(
        [AddedToken(t, normalized=False) for t, kind in zip(tokens, kinds) if kind == 3]
    )
    return tokenizer


def chat_prompt(question):
    return f"<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n"


class SmolLM:
    def __init__(self, path, device="cpu", dtype=torch.float32):
        metadata, tensors = gguf_file.read(path)
        self.tokenizer = make_tokenizer(metadata)
        arch = {k.split(".", 1)[1]: v for k, v in metadata.items() if k.startswith("llama.")}
        self.layers = arch["block_count"]
        self.heads, self.kv_heads = arch["attention.head_count"], arch["attention.head_count_kv"]
        self.head_dim = arch["rope.dimension_count"]
        self.eps = arch["attention.layer_norm_rms_epsilon"]
        half = torch.arange(0, self.head_dim, 2, dtype=torch.float32) / self.head_dim
        self.inverse = (1.0 / arch["rope.freq_base"] ** half).to(device)

        def get(*names):
            parts = [torch.from_numpy(tensors[name + ".weight"]) for name in names]
            return torch.cat(parts).to(device, dtype) if len(parts) > 1 else parts[0].to(device, dtype)

        self.embedding, self.norm = get("token_embd"), get("output_norm")
        self.blocks = [
            {
                "attn_norm": get(f"blk.{i}.attn_norm"),
                "qkv": get(*(f"blk.{i}.attn_{x}" for x in "qkv")),
                "out": get(f"blk.{i}.attn_output"),
                "ffn_norm": get(f"blk.{i}.ffn_norm"),
                "gate_up": get(f"blk.{i}.ffn_gate", f"blk.{i}.ffn_up"),
                "down": get(f"blk.{i}.ffn_down"),
            }
            for i in range(self.layers)
        ]
        self.device, self.dtype = device, dtype

    def new_cache(self, rows, length):
        shape = (self.layers, 2, rows, self.kv_heads, length, self.head_dim)
        return torch.zeros(shape, device=self.device, dtype=self.dtype)

    def rope(self, x, angles):
        """x [rows, heads, width], angles [rows, 1, width / 2]; pairs (2j, 2j + 1)."""
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        even, odd = x[..., 0::2], x[..., 1::2]
        return torch.stack([even * cos - odd * sin, odd * cos + even * sin], -1).flatten(-2)

    def _attend(self, q, cache, mask):
        """q [rows, heads, width] over cache [2, rows, kv heads, length, width]."""
        rows, group = q.shape[0], self.heads // self.kv_heads
        keys, values = cache[0].flatten(0, 1), cache[1].flatten(0, 1)
        q = q.reshape(rows * self.kv_heads, group, self.head_dim) * self.head_dim**-0.5
        scores = torch.bmm(q, keys.transpose(1, 2)).view(rows, self.kv_heads, group, -1)
        weights = (scores + mask).softmax(-1).view(rows * self.kv_heads, group, -1)
        return torch.bmm(weights, values).view(rows, self.heads * self.head_dim)

    def step(self, tokens, positions, cache):
        """Logits [rows, vocab] after `tokens` [rows] at `positions` [rows]; writes the cache."""
        rows, length = tokens.shape[0], cache.shape[4]
        where = torch.arange(rows, device=self.device)
        hidden = self.embedding[tokens]
        angles = (positions.float()[:, None] * self.inverse)[:, None]
        seen = torch.arange(length, device=self.device)[None] <= positions[:, None]
        mask = torch.where(seen, 0.0, -30000.0).to(self.dtype)[:, None, None]
        width = (self.head_dim,)
        for block, kv in zip(self.blocks, cache):
            x = F.rms_norm(hidden, hidden.shape[-1:], block["attn_norm"], self.eps)
            qkv = (x @ block["qkv"].T).view(rows, -1, *width)
            qk = self.rope(qkv[:, : self.heads + self.kv_heads], angles)
            kv[0][where, :, positions] = qk[:, self.heads :]
            kv[1][where, :, positions] = qkv[:, self.heads + self.kv_heads :]
            hidden = hidden + self._attend(qk[:, : self.heads], kv, mask) @ block["out"].T
            x = F.rms_norm(hidden, hidden.shape[-1:], block["ffn_norm"], self.eps)
            gate, up = (x @ block["gate_up"].T).chunk(2, -1)
            hidden = hidden + (F.silu(gate) * up) @ block["down"].T
        hidden = F.rms_norm(hidden, hidden.shape[-1:], self.norm, self.eps)
        return hidden @ self.embedding.T

    @torch.no_grad()
    def negative_log_likelihood(self, text):
        """(sum of -log p, tokens) of a text, after an end-of-turn token as context."""
        ids = [END_OF_TURN] + self.tokenizer.encode(text, add_special_tokens=False).ids[:500]
        tokens = torch.tensor(ids, device=self.device)
        hidden = self.embedding[tokens]
        angles = (torch.arange(len(ids), device=self.device).float()[:, None] * self.inverse)[:, None]
        for block in self.blocks:
            x = F.rms_norm(hidden, hidden.shape[-1:], block["attn_norm"], self.eps)
            qkv = (x @ block["qkv"].T).view(len(ids), -1, self.head_dim)
            qk = self.rope(qkv[:, : self.heads + self.kv_heads], angles)
            group = self.heads // self.kv_heads
            q = qk[:, : self.heads].transpose(0, 1)
            k = qk[:, self.heads :].transpose(0, 1).repeat_interleave(group, 0)
            v = qkv[:, self.heads + self.kv_heads :].transpose(0, 1).repeat_interleave(group, 0)
            a = F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]
            hidden = hidden + a.transpose(0, 1).flatten(1) @ block["out"].T
            x = F.rms_norm(hidden, hidden.shape[-1:], block["ffn_norm"], self.eps)
            gate, up = (x @ block["gate_up"].T).chunk(2, -1)
            hidden = hidden + (F.silu(gate) * up) @ block["down"].T
        hidden = F.rms_norm(hidden, hidden.shape[-1:], self.norm, self.eps)
        logits = (hidden[:-1] @ self.embedding.T).float()
        return F.cross_entropy(logits, tokens[1:], reduction="sum").item(), len(ids) - 1
