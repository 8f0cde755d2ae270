// SPDX-License-Identifier: Apache-2.0
#include "eval/operation_cost.h"

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "base/format.h"

namespace glint::eval {
namespace {

double Product(std::int64_t a, std::int64_t b, std::int64_t c = 1) {
  return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
}

OperationCost Named(const char* name) { return {.name = name}; }

OperationCost WithOps(std::string name, double bytes, double ops, bool integers) {
  return {.name = std::move(name),
          .bytes = bytes,
          .f32_ops = integers ? 0 : ops,
          .int8_ops = integers ? ops : 0};
}

std::string FormatOf(const tensor::WeightView& weight) {
  return weight.format == tensor::WeightFormat::kPlain ? tensor::DTypeName(weight.data.dtype)
                                                       : tensor::WeightFormatName(weight.format);
}

bool IsInterleaved(const tensor::WeightView& weight) {
  return weight.layout == tensor::WeightLayout::kInterleaved8;
}

std::int64_t LiveRows(const kernels::BatchTables& tables) {
  return std::count_if(tables.row_sequence, tables.row_sequence + tables.row_count,
                       [](std::int32_t sequence) { return sequence >= 0; });
}

// What rows attend to: `all` counts a cached token for each row, `distinct` once a sequence.
struct Attended {
  double all = 0;
  double distinct = 0;
};

// Rows attend to at most `most_per_row` tokens; those at positions below `first` do not count.
Attended AttendedBy(const kernels::BatchTables& tables, std::int64_t most_per_row,
                    std::int64_t first = 0) {
  std::vector<double> sums(static_cast<std::size_t>(tables.sequence_count));
  std::vector<double> lengths(sums.size());
  for (std::int64_t row = 0; row < tables.row_count; ++row) {
    if (tables.row_sequence[row] < 0 || tables.row_position[row] < first) continue;
    const auto sequence = static_cast<std::size_t>(tables.row_sequence[row]);
    const auto length = static_cast<double>(tables.row_position[row]) + 1;
    sums[sequence] += std::min(length, static_cast<double>(most_per_row));
    lengths[sequence] = std::max(lengths[sequence], length);
  }
  Attended attended;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    attended.all += sums[i];
    attended.distinct += std::min(sums[i], lengths[i]);
  }
  return attended;
}

double TokenBytes(const kernels::CacheView& cache) {
  return Product(cache.width, tensor::DTypeBytes(cache.dtype));
}

// One half of kv_b, used from either side.
OperationCost AbsorbCost(const char* name, const kernels::BatchTables& tables,
                         const tensor::WeightView& half, const tensor::WeightView& whole,
                         std::int64_t heads, std::int64_t width, std::int64_t kv_lora) {
  const bool integers = half.data.data != nullptr;
  const double bytes = integers ? static_cast<double>(tensor::WeightBytes(half))
                                : Product(heads * width, kv_lora) *
                                      static_cast<double>(tensor::DTypeBytes(whole.data.dtype));
  const double ops = 2 * Product(LiveRows(tables), heads * width, kv_lora);
  return WithOps(format("{} {}", name, FormatOf(integers ? half : whole)), bytes, ops, integers);
}

}  // namespace

OperationCost CostOf(const kernels::EmbeddingArgs&) { return Named("embedding"); }
OperationCost CostOf(const kernels::AddNormArgs&) { return Named("add_norm"); }
OperationCost CostOf(const kernels::QuantizeActivationArgs&) {
  return Named("quantize_activation");
}
OperationCost CostOf(const kernels::SiluMulArgs&) { return Named("silu_mul"); }
OperationCost CostOf(const kernels::MlaCacheArgs&) { return Named("mla_cache"); }
OperationCost CostOf(const kernels::IndexerCacheArgs&) { return Named("indexer_cache"); }
OperationCost CostOf(const kernels::GqaCacheArgs&) { return Named("gqa_cache"); }
OperationCost CostOf(const kernels::RouterArgs&) { return Named("router"); }
OperationCost CostOf(const kernels::SampleArgs&) { return Named("sample"); }
OperationCost CostOf(const kernels::VerifyDraftArgs&) { return Named("verify_draft"); }

OperationCost CostOf(const kernels::LinearArgs& args) {
  const tensor::WeightView& weight = args.weight;
  return WithOps(format("linear {} x {} {}", weight.rows, weight.columns, FormatOf(weight)),
                 static_cast<double>(tensor::WeightBytes(weight)),
                 2 * Product(args.out.rows, weight.rows, weight.columns), IsInterleaved(weight));
}

OperationCost CostOf(const kernels::MoeArgs& args) {
  std::set<std::int32_t> experts;
  std::int64_t slots = 0;
  for (std::int64_t i = 0; i < args.out.rows * args.top_k; ++i) {
    if (args.expert_ids[i] < 0) continue;
    experts.insert(args.expert_ids[i]);
    ++slots;
  }
  double bytes = 0;
  double ops = 0;
  for (const tensor::WeightView* weight : {&args.form.gate, &args.form.up, &args.form.down}) {
    bytes += Product(static_cast<std::int64_t>(experts.size()), tensor::WeightBytes(*weight));
    ops += 2 * Product(slots, weight->rows, weight->columns);
  }
  return WithOps(format("moe {}", FormatOf(args.form.gate)), bytes, ops,
                 IsInterleaved(args.form.gate));
}

OperationCost CostOf(const kernels::MlaAbsorbQueryArgs& args) {
  return AbsorbCost("mla_absorb_query", args.tables, args.k_b, args.kv_b, args.heads, args.nope,
                    args.kv_lora);
}

OperationCost CostOf(const kernels::MlaExpandValueArgs& args) {
  return AbsorbCost("mla_expand_value", args.tables, args.v_b, args.kv_b, args.heads, args.value,
                    args.kv_lora);
}

OperationCost CostOf(const kernels::MlaAttentionArgs& args) {
  const std::int64_t most = args.selection.positions == nullptr
                                ? std::numeric_limits<std::int32_t>::max()
                                : args.selection.top_k;
  const Attended attended = AttendedBy(args.tables, most);
  const double per_token = 2 * Product(args.heads, 2 * args.kv_lora + args.rope_width);
  return WithOps("mla_attention", attended.distinct * TokenBytes(args.cache),
                 attended.all * per_token, false);
}

OperationCost CostOf(const kernels::IndexerTopkArgs& args) {
  // A row with no more positions than it may take is not scored.
  const Attended scored =
      AttendedBy(args.tables, std::numeric_limits<std::int32_t>::max(), args.selection.top_k);
  return WithOps("indexer_topk", scored.distinct * TokenBytes(args.cache),
                 scored.all * 2 * Product(args.heads, args.head_dim), false);
}

OperationCost CostOf(const kernels::GqaAttentionArgs& args) {
  const Attended attended = AttendedBy(args.tables, std::numeric_limits<std::int32_t>::max());
  return WithOps("gqa_attention",
                 attended.distinct * (TokenBytes(args.k_cache) + TokenBytes(args.v_cache)),
                 attended.all * 4 * Product(args.heads, args.head_dim), false);
}

}  // namespace glint::eval
