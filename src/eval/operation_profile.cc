// SPDX-License-Identifier: Apache-2.0
#include "eval/operation_profile.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/check.h"

namespace glint::eval {
namespace {

// An operation is a plain function, so what it counts into is found by thread.
thread_local OperationProfile* current = nullptr;

template <auto kOperation, typename Args>
void Timed(device::Stream& stream, const Args& args) {
  const kernels::Operation<Args> operation = current->operations().*kOperation;
  if (!current->running()) return operation(stream, args);
  const OperationCost cost = CostOf(args);
  const auto start = std::chrono::steady_clock::now();
  operation(stream, args);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  current->Count(cost, taken.count());
}

using Table = kernels::OperationTable;

kernels::OperationTable TimedTable(const char* name) {
  return {
      .name = name,
      .embedding = Timed<&Table::embedding, kernels::EmbeddingArgs>,
      .add_norm = Timed<&Table::add_norm, kernels::AddNormArgs>,
      .quantize_activation = Timed<&Table::quantize_activation, kernels::QuantizeActivationArgs>,
      .linear = Timed<&Table::linear, kernels::LinearArgs>,
      .silu_mul = Timed<&Table::silu_mul, kernels::SiluMulArgs>,
      .mla_cache = Timed<&Table::mla_cache, kernels::MlaCacheArgs>,
      .mla_absorb_query = Timed<&Table::mla_absorb_query, kernels::MlaAbsorbQueryArgs>,
      .mla_attention = Timed<&Table::mla_attention, kernels::MlaAttentionArgs>,
      .mla_expand_value = Timed<&Table::mla_expand_value, kernels::MlaExpandValueArgs>,
      .indexer_cache = Timed<&Table::indexer_cache, kernels::IndexerCacheArgs>,
      .indexer_topk = Timed<&Table::indexer_topk, kernels::IndexerTopkArgs>,
      .gqa_cache = Timed<&Table::gqa_cache, kernels::GqaCacheArgs>,
      .gqa_attention = Timed<&Table::gqa_attention, kernels::GqaAttentionArgs>,
      .router = Timed<&Table::router, kernels::RouterArgs>,
      .moe = Timed<&Table::moe, kernels::MoeArgs>,
      .sample = Timed<&Table::sample, kernels::SampleArgs>,
      .verify_draft = Timed<&Table::verify_draft, kernels::VerifyDraftArgs>};
}

}  // namespace

OperationProfile::OperationProfile(const kernels::OperationTable& operations)
    : operations_(operations), timed_(TimedTable(operations.name)) {
  GLINT_CHECK(current == nullptr, "one profile on a thread");
  current = this;
}

OperationProfile::~OperationProfile() { current = nullptr; }

void OperationProfile::Start() {
  totals_.clear();
  running_ = true;
}

std::vector<OperationTotal> OperationProfile::Stop() {
  running_ = false;
  std::sort(totals_.begin(), totals_.end(),
            [](const OperationTotal& a, const OperationTotal& b) { return a.seconds > b.seconds; });
  return std::exchange(totals_, {});
}

void OperationProfile::Count(const OperationCost& cost, double seconds) {
  auto total = std::find_if(totals_.begin(), totals_.end(),
                            [&](const OperationTotal& one) { return one.cost.name == cost.name; });
  if (total == totals_.end()) {
    total = totals_.insert(totals_.end(), {.cost = {.name = cost.name}});
  }
  total->cost.bytes += cost.bytes;
  total->cost.f32_ops += cost.f32_ops;
  total->cost.int8_ops += cost.int8_ops;
  total->seconds += seconds;
  ++total->calls;
}

}  // namespace glint::eval
