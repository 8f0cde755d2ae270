// SPDX-License-Identifier: Apache-2.0
#include "model/load_weights.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "model/synthetic_checkpoint.h"

namespace glint::model {
namespace {

using tensor::DType;
using tensor::WeightView;

// A matrix to be made in device memory: where, and how.
struct Conversion {
  const LocatedWeight* from = nullptr;  // null for generated weights
  WeightView to;
};

double SourceElement(const LocatedWeight& from, std::int64_t row, std::int64_t column) {
  if (from.split_kv_b) return SplitKvBElement(*from.split_kv_b, row, column);
  return tensor::WeightElement(from.stored.view, row, column);
}

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

bool StaysAsStored(const spec::TensorGroup& group, const LocatedWeight& located, DType dtype) {
  const WeightView& view = located.stored.view;
  if (IsRouterBias(group) || located.split_kv_b) return false;
  if (view.format != tensor::WeightFormat::kPlain) return false;
  if (group.is_vector() || dtype == DType::kF32) return true;
  return view.data.dtype == dtype;
}

void ConvertRows(const Conversion& one, std::int64_t begin, std::int64_t end) {
  auto* out = const_cast<std::byte*>(one.to.data.data);  // memory that this file allocated
  for (std::int64_t row = begin; row < end; ++row) {
    for (std::int64_t column = 0; column < one.to.columns; ++column) {
      tensor::StoreElement(one.to.data.dtype, out, row * one.to.columns + column,
                           SourceElement(*one.from, row, column));
    }
  }
}

// Runs piece(i) for 0 <= i < count on all cores.
template <typename Piece>
void InParallel(std::size_t count, const Piece& piece) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) piece(i);
  };
  const std::size_t helpers =
      std::min<std::size_t>(count, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < helpers; ++i) threads.emplace_back(work);
  work();
}

constexpr std::int64_t kAlign = 64;

std::int64_t RoundUp(std::int64_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

WeightView PlainView(std::int64_t rows, std::int64_t columns, DType dtype) {
  WeightView view;
  view.rows = rows;
  view.columns = columns;
  view.data.dtype = dtype;
  view.data.shape = columns == 1 ? tensor::Shape{rows} : tensor::Shape{rows, columns};
  return view;
}

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
  for (const LocatedWeight& located : weights.located) {
    const std::string& name = located.stored.tensors.front();
    GLINT_TRY(tensor::CheckScales(located.stored, checkpoint.Describe(*checkpoint.Find(name))));
    const WeightView& view = located.stored.view;
    const spec::TensorGroup& group = group_of(located);
    if (StaysAsStored(group, located, options.dtype)) {
      store->Add(UnitOf(group, located.copy), SlotOfGroup(group), view);
      continue;
    }
    const DType to = IsRouterBias(group) ? DType::kF32 : options.dtype;
    conversions.push_back({&located, PlainView(view.rows, view.columns, to)});
  }
  GLINT_TRY(Place(conversions, device, *store));
  std::int64_t total = 0;
  for (const Conversion& one : conversions) total += one.to.data.ByteCount();
  std::int64_t done = 0;
  for (std::size_t i = 0; i < conversions.size(); ++i) {
    const std::int64_t rows = conversions[i].to.rows;
    constexpr std::int64_t kRowsAtOnce = 64;
    InParallel(static_cast<std::size_t>((rows + kRowsAtOnce - 1) / kRowsAtOnce),
               [&](std::size_t b) {
                 const std::int64_t begin = static_cast<std::int64_t>(b) * kRowsAtOnce;
                 ConvertRows(conversions[i], begin, std::min(rows, begin + kRowsAtOnce));
               });
    const LocatedWeight& from = *conversions[i].from;
    const spec::TensorGroup& group = group_of(from);
    store->Add(UnitOf(group, from.copy), SlotOfGroup(group), conversions[i].to);
    done += conversions[i].to.data.ByteCount();
    if (options.progress) options.progress(done, total);
  }
  return store;
}

Result<std::unique_ptr<ResidentStore>> MakeSyntheticWeights(const spec::ModelSpec& model,
                                                            device::Device& device,
                                                            std::uint64_t seed,
                                                            const LoadOptions& options) {
  auto store = std::make_unique<ResidentStore>();
  std::vector<Conversion> made;
  std::vector<tensor::TensorSpec> specs;
  for (const spec::TensorGroup& group : spec::ListTensors(model)) {
    const bool f32 = group.is_vector() || options.dtype == DType::kF32;
    for (std::int64_t copy = 0; copy < group.copies; ++copy) {
      const std::int64_t columns = group.is_vector() ? 1 : group.columns;
      made.push_back({nullptr, PlainView(group.rows, columns, f32 ? DType::kF32 : DType::kBF16)});
      specs.push_back({group.NameOf(copy), made.back().to.data.dtype, made.back().to.data.shape});
    }
  }
  GLINT_TRY(Place(made, device, *store));
  std::int64_t total = 0;
  for (const Conversion& one : made) total += one.to.data.ByteCount();
  std::mutex mutex;  // guards `done`, and the caller's progress
  std::int64_t done = 0;
  InParallel(made.size(), [&](std::size_t i) {
    const std::vector<std::byte> bytes = SyntheticBytes(specs[i], seed);
    std::memcpy(const_cast<std::byte*>(made[i].to.data.data), bytes.data(), bytes.size());
    const std::lock_guard lock(mutex);
    done += static_cast<std::int64_t>(bytes.size());
    if (options.progress) options.progress(done, total);
  });
  std::size_t at = 0;
  for (const spec::TensorGroup& group : spec::ListTensors(model)) {
    for (std::int64_t copy = 0; copy < group.copies; ++copy) {
      store->Add(UnitOf(group, copy), SlotOfGroup(group), made[at++].to);
    }
  }
  return store;
}

}  // namespace glint::model
