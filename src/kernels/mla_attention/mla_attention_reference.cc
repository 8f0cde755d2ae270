// SPDX-License-Identifier: Apache-2.0
#include "kernels/mla_attention/mla_attention_reference.h"

#include "kernels/cache_math.h"
#include "kernels/internal/reference_math.h"

namespace glint::kernels {
namespace {

// The cached tokens that a row attends to, one after the other, ascending.
std::vector<double> VisibleTokens(const MlaAttentionArgs& args, std::int64_t row) {
  const std::int64_t position = args.tables.row_position[row];
  const bool dense = args.selection.positions == nullptr;
  const std::int64_t entries = dense ? position + 1 : args.selection.top_k;
  std::vector<double> tokens;
  for (std::int64_t entry = 0; entry < entries; ++entry) {
    const std::int64_t t =
        dense ? entry : args.selection.positions[row * args.selection.top_k + entry];
    if (t < 0 || t > position) continue;
    const std::int64_t slot = CacheSlot(args.tables, args.tables.row_sequence[row], t);
    const std::vector<double> token = ReadCache(args.cache, slot, 0, args.cache.width);
    tokens.insert(tokens.end(), token.begin(), token.end());
  }
  return tokens;
}

}  // namespace

std::vector<double> MlaAttendHead(std::span<const double> q_latent, std::span<const double> q_rope,
                                  std::span<const double> tokens, double scale) {
  const std::size_t width = q_latent.size() + q_rope.size();
  std::vector<double> scores;
  for (std::size_t at = 0; at < tokens.size(); at += width) {
    const std::span<const double> token = tokens.subspan(at, width);
    scores.push_back((Dot(q_latent, token.first(q_latent.size())) +
                      Dot(q_rope, token.subspan(q_latent.size()))) *
                     scale);
  }
  SoftmaxRow(scores);
  std::vector<double> output(q_latent.size(), 0.0);
  for (std::size_t t = 0; t < scores.size(); ++t) {
    for (std::size_t i = 0; i < output.size(); ++i) output[i] += scores[t] * tokens[t * width + i];
  }
  return output;
}

void MlaAttentionReference(const MlaAttentionArgs& args) {
  for (std::int64_t row = 0; row < args.tables.row_count; ++row) {
    if (args.tables.row_sequence[row] < 0) continue;
    const std::vector<double> tokens = VisibleTokens(args, row);
    for (std::int64_t head = 0; head < args.heads; ++head) {
      const std::int64_t column = head * args.kv_lora;
      std::vector<double> output(args.kv_lora, 0.0);
      if (!tokens.empty()) {
        output =
            MlaAttendHead(ReadRow(args.q_latent, row, column, args.kv_lora),
                          ReadRow(args.q_rope, row, head * args.rope_head_stride, args.rope_width),
                          tokens, args.scale);
      }
      WriteRow(args.output, row, column, output);
    }
  }
}

}  // namespace glint::kernels
