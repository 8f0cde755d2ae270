// SPDX-License-Identifier: Apache-2.0
#include "model/load_weights.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "model/internal/convert_weight.h"
#include "model/synthetic_checkpoint.h"
#include "tensor/block_format.h"
#include "tensor/interleaved.h"

namespace glint::model {
namespace {

using tensor::DType;
using tensor::WeightView;

WeightId UnitOf(const spec::TensorGroup& group, std::int64_t copy) {
  return {group.layer, group.role == spec::TensorRole::kExpert ? copy : -1};
}

WeightSlot SlotOfGroup(const spec::TensorGroup& group) {
  const auto slot = SlotOf(group.name);
  GLINT_CHECK(slot.has_value(), group.name);
  return *slot;
}

// The router's bias is read as an array of F32, which a file may hold unaligned or in BF16.
bool IsRouterBias(const spec::TensorGroup& group) {
  return group.role == spec::TensorRole::kRouterBias;
}

// True for the matrices that `linear` and `moe` multiply, and that lose little by quantisation.
bool IsForIntegerKernels(WeightSlot slot) {
  switch (slot) {
    case WeightSlot::kEmbedding:
    case WeightSlot::kMtpEmbedding:
    case WeightSlot::kKvB:
    case WeightSlot::kRouter:
    case WeightSlot::kIndexerWeights:
      return false;
    default:
      return true;
  }
}

// The format that a plain matrix is rounded to: eight bits where the columns are no whole blocks.
tensor::WeightFormat FormatFor(std::int64_t columns, tensor::WeightFormat wanted) {
  const bool fits = columns % tensor::BlockOf(wanted)->elements == 0;
  return fits ? wanted : tensor::WeightFormat::kQ8_0;
}

// What the integer kernels would read of a weight: nullopt when they cannot.
std::optional<WeightView> IntegerTarget(WeightSlot slot, const WeightView& view,
                                        const LoadOptions& options) {
  if (options.dtype != DType::kBF16 || !IsForIntegerKernels(slot)) return std::nullopt;
  const bool plain = view.format == tensor::WeightFormat::kPlain;
  const WeightView blocks =
      plain && options.block_format
          ? BlockRows(view.rows, view.columns, FormatFor(view.columns, *options.block_format))
          : view;
  if (!tensor::CanInterleave(blocks)) return std::nullopt;
  return tensor::InterleavedView(blocks, nullptr);
}

// kv_b as two matrices for the integer kernels: empty when they cannot read both.
std::vector<Conversion> HalvesOfKvB(const WeightView& view, const SplitKvB* split,
                                    const spec::ModelSpec& model, const LoadOptions& options) {
  if (!model.mla) return {};
  const spec::MlaSpec& mla = *model.mla;
  constexpr std::int64_t kGroup = 32;  // of the input, whose heads must be whole groups
  if (mla.nope_dim % kGroup != 0 || mla.rope_dim % kGroup != 0) return {};
  WeightView keys = PlainView(model.heads * mla.kv_lora_rank, mla.nope_dim, DType::kBF16);
  WeightView values = PlainView(model.heads * mla.v_dim, mla.kv_lora_rank, DType::kBF16);
  if (split != nullptr) {
    keys = split->k;
    values = split->v;
  } else if (view.format != tensor::WeightFormat::kPlain) {
    return {};  // the keys' blocks would have to be made anew
  }
  const auto keys_target = IntegerTarget(WeightSlot::kKB, keys, options);
  const auto values_target = IntegerTarget(WeightSlot::kVB, values, options);
  const bool eights =
      mla.kv_lora_rank % tensor::kInterleavedRows == 0 && mla.v_dim % tensor::kInterleavedRows == 0;
  if (!keys_target || !values_target || !eights) return {};
  return {{.from = split != nullptr ? keys : view,
           .to = *keys_target,
           .slot = WeightSlot::kKB,
           .mla = mla},
          {.from = split != nullptr ? values : view,
           .to = *values_target,
           .slot = WeightSlot::kVB,
           .mla = mla}};
}

// The layers whose experts all go to the integer kernels or none: `moe` takes one kind of input.
class ExpertLayers {
 public:
  void Add(const spec::TensorGroup& group, const WeightView& view, const LoadOptions& options) {
    if (group.role != spec::TensorRole::kExpert) return;
    const bool fits = IntegerTarget(SlotOfGroup(group), view, options).has_value();
    if (!fits) plain_.insert(group.layer);
  }
  [[nodiscard]] bool Fits(const spec::TensorGroup& group) const {
    return group.role != spec::TensorRole::kExpert || plain_.count(group.layer) == 0;
  }

 private:
  std::unordered_set<std::int64_t> plain_;
};

// What a weight becomes: a view without data, or nullopt when it stays where it is.
std::optional<WeightView> Target(const spec::TensorGroup& group, const WeightView& view,
                                 const ExpertLayers& experts, const LoadOptions& options) {
  if (IsRouterBias(group)) return PlainView(view.rows, view.columns, DType::kF32);
  const bool plain = view.format == tensor::WeightFormat::kPlain;
  if (plain && (group.is_vector() || options.dtype == DType::kF32)) return std::nullopt;
  const WeightSlot slot = SlotOfGroup(group);
  if (experts.Fits(group)) {
    if (const auto target = IntegerTarget(slot, view, options)) return target;
  }
  const bool is_table = slot == WeightSlot::kEmbedding || slot == WeightSlot::kMtpEmbedding;
  if (is_table && options.dtype == DType::kBF16 && tensor::BlockOf(view.format)) {
    return std::nullopt;  // rows are read one at a time
  }
  if (plain && view.data.dtype == options.dtype) return std::nullopt;
  if (!plain && options.dtype == DType::kBF16 && options.fallbacks != nullptr) {
    options.fallbacks->Report(format("weights: no CPU kernel for {} [{}, {}], dequantised to BF16",
                                     tensor::WeightFormatName(view.format), view.rows,
                                     view.columns));
  }
  return PlainView(view.rows, view.columns, options.dtype);
}

// Runs piece(i, scratch) for 0 <= i < count on all cores. Each thread keeps its scratch: fresh
// memory for each piece costs more in page faults than what is computed in it.
template <typename Piece>
void InParallel(std::size_t count, const Piece& piece) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    std::vector<std::byte> scratch;
    for (std::size_t i = next++; i < count; i = next++) piece(i, scratch);
  };
  const std::size_t helpers =
      std::min<std::size_t>(count, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < helpers; ++i) threads.emplace_back(work);
  work();
}

// Bytes made so far, told to the caller one at a time.
class Progress {
 public:
  Progress(const std::vector<Conversion>& conversions, const LoadOptions& options)
      : options_(options) {
    for (const Conversion& one : conversions) total_ += one.to.data.ByteCount();
  }
  void Add(std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    done_ += bytes;
    if (options_.progress) options_.progress(done_, total_);
  }

 private:
  const LoadOptions& options_;
  std::mutex mutex_;
  std::int64_t done_ = 0;
  std::int64_t total_ = 0;
};

// Some rows of a matrix: what a thread does at once.
struct Piece {
  const Conversion* conversion;
  std::int64_t begin;
  std::int64_t end;
};

std::vector<Piece> PiecesOf(const std::vector<Conversion>& conversions) {
  constexpr std::int64_t kRowsAtOnce = 64;  // a multiple of eight
  std::vector<Piece> pieces;
  for (const Conversion& one : conversions) {
    for (std::int64_t row = 0; row < one.to.rows; row += kRowsAtOnce) {
      pieces.push_back({&one, row, std::min(one.to.rows, row + kRowsAtOnce)});
    }
  }
  return pieces;
}

// Fails with kDataLoss, naming a tensor with a scale that is not finite.
Status ConvertAll(const std::vector<Conversion>& conversions, const tensor::Checkpoint& checkpoint,
                  const LoadOptions& options) {
  const std::vector<Piece> pieces = PiecesOf(conversions);
  Progress progress(conversions, options);
  std::atomic<const Conversion*> bad = nullptr;
  InParallel(pieces.size(), [&](std::size_t i, std::vector<std::byte>&) {
    const Piece& piece = pieces[i];
    if (bad != nullptr) return;
    if (!ConvertRows(*piece.conversion, piece.begin, piece.end)) bad = piece.conversion;
    const tensor::WeightView& to = piece.conversion->to;
    progress.Add(to.data.ByteCount() / to.rows * (piece.end - piece.begin));
  });
  if (bad == nullptr) return Ok();
  const std::string& name = bad.load()->name;
  const tensor::StoredTensor* tensor = checkpoint.Find(name);
  return DataLoss(format("{}: tensor {}: a block's scale is not finite",
                         tensor == nullptr ? "weights" : checkpoint.Describe(*tensor),
                         Quoted(name, 200)));
}

constexpr std::int64_t kAlign = 64;

std::int64_t RoundUp(std::int64_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

// Allocates one block for all and gives each its place.
Status Place(std::vector<Conversion>& conversions, device::Device& device, ResidentStore& store) {
  std::int64_t total = 0;
  for (const Conversion& one : conversions) total += RoundUp(one.to.data.ByteCount());
  GLINT_ASSIGN(auto memory, device.Allocate(total));
  std::byte* at = memory->data();
  for (Conversion& one : conversions) {
    one.to.data.data = at;
    at += RoundUp(one.to.data.ByteCount());
  }
  store.Own(std::move(memory));
  return Ok();
}

}  // namespace

Result<std::unique_ptr<ResidentStore>> LoadWeights(const CheckpointWeights& weights,
                                                   const tensor::Checkpoint& checkpoint,
                                                   device::Device& device,
                                                   const LoadOptions& options) {
  GLINT_CHECK(options.dtype == DType::kF32 || options.dtype == DType::kBF16, "F32 or BF16");
  auto store = std::make_unique<ResidentStore>();
  std::vector<Conversion> conversions;
  const auto group_of = [&](const LocatedWeight& located) -> const spec::TensorGroup& {
    return weights.groups[static_cast<std::size_t>(located.group)];
  };
  ExpertLayers experts;
  for (const LocatedWeight& located : weights.located) {
    experts.Add(group_of(located), located.stored.view, options);
  }
  for (const LocatedWeight& located : weights.located) {
    const std::string& name = located.stored.tensors.front();
    GLINT_TRY(tensor::CheckScales(located.stored, checkpoint.Describe(*checkpoint.Find(name))));
    const WeightView& view = located.stored.view;
    const spec::TensorGroup& group = group_of(located);
    const SplitKvB* split = located.split_kv_b ? &*located.split_kv_b : nullptr;
    const WeightId unit = UnitOf(group, located.copy);
    const WeightSlot slot = SlotOfGroup(group);
    if (slot == WeightSlot::kKvB) {
      std::vector<Conversion> halves = HalvesOfKvB(view, split, weights.model, options);
      for (Conversion& half : halves) {
        half.unit = unit;
        half.name = name;
      }
      conversions.insert(conversions.end(), halves.begin(), halves.end());
      if (!halves.empty()) continue;
    }
    const auto target = split != nullptr
                            ? std::optional(PlainView(view.rows, view.columns, options.dtype))
                            : Target(group, view, experts, options);
    if (target) {
      conversions.push_back({.from = view,
                             .to = *target,
                             .unit = unit,
                             .name = name,
                             .slot = slot,
                             .split_kv_b = split});
    } else {
      store->Add(unit, slot, view);
    }
  }
  GLINT_TRY(Place(conversions, device, *store));
  GLINT_TRY(ConvertAll(conversions, checkpoint, options));
  for (const Conversion& one : conversions) store->Add(one.unit, one.slot, one.to);
  return store;
}

Result<std::unique_ptr<ResidentStore>> MakeSyntheticWeights(const spec::ModelSpec& model,
                                                            device::Device& device,
                                                            std::uint64_t seed,
                                                            const LoadOptions& options) {
  auto store = std::make_unique<ResidentStore>();
  std::vector<Conversion> made;
  std::vector<tensor::TensorSpec> specs;  // of what each is made from
  ExpertLayers experts;
  const std::vector<spec::TensorGroup> groups = spec::ListTensors(model);
  for (const spec::TensorGroup& group : groups) {
    experts.Add(group, PlainView(group.rows, group.columns, DType::kBF16), options);
  }
  for (const spec::TensorGroup& group : groups) {
    const bool f32 = group.is_vector() || options.dtype == DType::kF32;
    for (std::int64_t copy = 0; copy < group.copies; ++copy) {
      const std::int64_t columns = group.is_vector() ? 1 : group.columns;
      const WeightView plain = PlainView(group.rows, columns, f32 ? DType::kF32 : DType::kBF16);
      const WeightSlot slot = SlotOfGroup(group);
      std::vector<Conversion> parts;
      if (slot == WeightSlot::kKvB) parts = HalvesOfKvB(plain, nullptr, model, options);
      if (parts.empty()) {
        const WeightView target = Target(group, plain, experts, options).value_or(plain);
        parts.push_back({.from = plain, .to = target, .slot = slot});
      }
      for (Conversion& part : parts) {
        part.unit = UnitOf(group, copy);
        made.push_back(part);
        specs.push_back({group.NameOf(copy), plain.data.dtype, plain.data.shape});
      }
    }
  }
  GLINT_TRY(Place(made, device, *store));
  Progress progress(made, options);
  InParallel(made.size(), [&](std::size_t i, std::vector<std::byte>& scratch) {
    Conversion& one = made[i];
    if (one.to.layout == tensor::WeightLayout::kInterleaved8) {
      const auto bytes = static_cast<std::size_t>(one.from.data.ByteCount());
      if (scratch.size() < bytes) scratch = std::vector<std::byte>(bytes);
      FillSynthetic(specs[i], seed, scratch.data());
      one.from.data.data = scratch.data();
      GLINT_CHECK(ConvertRows(one, 0, one.to.rows), specs[i].name);
    } else {
      FillSynthetic(specs[i], seed, const_cast<std::byte*>(one.to.data.data));
    }
    progress.Add(made[i].to.data.ByteCount());
  });
  for (const Conversion& one : made) store->Add(one.unit, one.slot, one.to);
  return store;
}

}  // namespace glint::model
