// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "base/format.h"
#include "device/cpu/cpu_device.h"
#include "kernels/indexer_topk/indexer_score.h"
#include "kernels/indexer_topk/indexer_topk_cpu.h"
#include "kernels/indexer_topk/indexer_topk_math.h"
#include "kernels/indexer_topk/indexer_topk_reference.h"

namespace glint::kernels {
namespace {

constexpr std::int64_t kPiecePositions = 128;  // of a block, scored by one thread
constexpr std::int64_t kBlockPieces = kIndexerTopkBlock / kPiecePositions;

using Score = void (*)(const IndexerScorePiece* piece);

bool Prefers(const IndexerCandidate& a, const IndexerCandidate& b) {
  return IndexerPrefers(static_cast<double>(a.score), a.position, static_cast<double>(b.score),
                        b.position);
}

// Rows [first, first + count) at a time. The scratch of a row holds the kept candidates, then the
// block's new ones; how many are kept follows from the block's first position.
class RunningSelection {
 public:
  RunningSelection(const IndexerTopkArgs& args, Score score, std::int64_t first, std::int64_t count)
      : args_(args), top_k_(args.selection.top_k), score_(score), first_(first), count_(count) {}

  void Run(device::WorkerPool& pool) const {
    std::int64_t most = 0;
    for (std::int64_t i = 0; i < count_; ++i) most = std::max(most, ScoredPositions(i));
    for (std::int64_t block = 0; block < most; block += kIndexerTopkBlock) {
      pool.Run(count_ * kBlockPieces, [&](std::int64_t index) {
        ScorePiece(index / kBlockPieces, block, block + index % kBlockPieces * kPiecePositions);
      });
      pool.Run(count_, [&](std::int64_t i) { TakeIn(i, block); });
    }
    pool.Run(count_, [&](std::int64_t i) { Write(i); });
  }

 private:
  [[nodiscard]] std::int64_t Visible(std::int64_t i) const {
    if (args_.tables.row_sequence[first_ + i] < 0) return 0;
    return args_.tables.row_position[first_ + i] + 1;
  }
  // All that is visible, or none where all is selected.
  [[nodiscard]] std::int64_t ScoredPositions(std::int64_t i) const {
    const std::int64_t visible = Visible(i);
    return visible > top_k_ ? visible : 0;
  }
  [[nodiscard]] IndexerCandidate* Candidates(std::int64_t i) const {
    return static_cast<IndexerCandidate*>(args_.scratch) + i * (top_k_ + kIndexerTopkBlock);
  }

  void ScorePiece(std::int64_t i, std::int64_t block, std::int64_t from) const {
    const std::int64_t count = std::min(kPiecePositions, ScoredPositions(i) - from);
    if (count <= 0) return;
    const std::int64_t row = first_ + i;
    const IndexerScorePiece piece = {
        .tables = args_.tables,
        .row = row,
        .first = from,
        .count = count,
        .heads = args_.heads,
        .head_dim = args_.head_dim,
        .query = static_cast<const float*>(args_.q.data) + row * args_.q.stride,
        .head_weights =
            static_cast<const float*>(args_.head_weights.data) + row * args_.head_weights.stride,
        .cache = args_.cache.data,
        .bf16 = args_.cache.dtype == tensor::DType::kBF16,
        .candidates = Candidates(i) + std::min(block, top_k_) + (from - block)};
    score_(&piece);
  }

  // The best top_k of the kept and the block's candidates move to the front, the worst of them
  // last.
  void TakeIn(std::int64_t i, std::int64_t block) const {
    const std::int64_t fresh = std::min(kIndexerTopkBlock, ScoredPositions(i) - block);
    const std::int64_t kept = std::min(block, top_k_);
    if (fresh <= 0 || kept + fresh < top_k_) return;
    IndexerCandidate* candidates = Candidates(i);
    IndexerCandidate* end = candidates + kept + fresh;
    if (kept == top_k_) {
      const IndexerCandidate worst = candidates[kept - 1];
      end = std::remove_if(candidates + kept, end, [&](const IndexerCandidate& candidate) {
        return !Prefers(candidate, worst);
      });
    }
    std::nth_element(candidates, candidates + top_k_ - 1, end, Prefers);
  }

  void Write(std::int64_t i) const {
    const std::int64_t row = first_ + i;
    if (args_.tables.row_sequence[row] < 0) return;
    std::int32_t* positions = args_.selection.positions + row * top_k_;
    const std::int64_t selected = std::min(Visible(i), top_k_);
    if (ScoredPositions(i) == 0) {
      std::iota(positions, positions + selected, 0);
    } else {
      const IndexerCandidate* candidates = Candidates(i);
      for (std::int64_t k = 0; k < selected; ++k) positions[k] = candidates[k].position;
      std::sort(positions, positions + selected);
    }
    std::fill(positions + selected, positions + top_k_, -1);
  }

  const IndexerTopkArgs& args_;
  std::int64_t top_k_;
  Score score_;
  std::int64_t first_;
  std::int64_t count_;
};

}  // namespace

std::string IndexerTopkCpuFallbackReason(const IndexerTopkArgs& args) {
  if (args.q.dtype == tensor::DType::kF32) return {};
  return format("activations are {}, not F32", tensor::DTypeName(args.q.dtype));
}

void IndexerTopkCpu(Isa isa, device::Stream& stream, const IndexerTopkArgs& args) {
  if (const std::string reason = IndexerTopkCpuFallbackReason(args); !reason.empty()) {
    device::ReportCpuFallback(stream, "indexer_topk: " + reason + ", reference");
    device::SubmitCpu(stream, [args](device::WorkerPool&) { IndexerTopkReference(args); });
    return;
  }
  const Score score =
      IsaEntry(isa, baseline::IndexerScore, avx2::IndexerScore, avx512::IndexerScore);
  device::SubmitCpu(stream, [args, score](device::WorkerPool& pool) {
    const std::int64_t rows = args.tables.row_count;
    const std::int64_t at_once =
        args.scratch_bytes / IndexerTopkScratchBytes(1, args.selection.top_k);
    for (std::int64_t first = 0; first < rows; first += at_once) {
      RunningSelection(args, score, first, std::min(at_once, rows - first)).Run(pool);
    }
  });
}

}  // namespace glint::kernels
