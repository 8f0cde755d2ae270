// SPDX-License-Identifier: Apache-2.0
#include "engine/internal/sampler.h"

#include "base/check.h"

namespace glint::engine {
namespace {

constexpr std::int64_t kRowBytes = 8 + 7 * 4;

}  // namespace

Sampler::Columns Sampler::Carve(void* base, std::int64_t capacity) {
  Columns columns;
  columns.seed = static_cast<std::uint64_t*>(base);
  columns.temperature = reinterpret_cast<float*>(columns.seed + capacity);
  columns.top_p = columns.temperature + capacity;
  columns.min_p = columns.top_p + capacity;
  columns.logprob = columns.min_p + capacity;
  columns.top_k = reinterpret_cast<std::int32_t*>(columns.logprob + capacity);
  columns.position = columns.top_k + capacity;
  columns.token = columns.position + capacity;
  return columns;
}

Result<std::unique_ptr<Sampler>> Sampler::Create(std::int64_t max_rows, device::Device& device,
                                                 const kernels::OperationTable& operations) {
  GLINT_CHECK(max_rows > 0, "rows of a sampler");
  std::unique_ptr<Sampler> made(new Sampler(operations));
  made->capacity_ = max_rows;
  for (Slot& slot : made->slots_) {
    GLINT_ASSIGN(slot.memory, device.Allocate(max_rows * kRowBytes));
    slot.host.resize(static_cast<std::size_t>((max_rows * kRowBytes + 7) / 8));
    slot.on_device = Carve(slot.memory->data(), max_rows);
    slot.on_host = Carve(slot.host.data(), max_rows);
  }
  return made;
}

void Sampler::Enqueue(std::size_t slot_index, device::Stream& stream,
                      const kernels::Activation& logits, std::span<const SampledRow> rows) {
  Slot& slot = slots_[slot_index];
  const auto count = static_cast<std::int64_t>(rows.size());
  GLINT_CHECK(count == logits.rows && count <= capacity_, "one entry for each row of logits");
  slot.rows = count;
  if (count == 0) return;
  std::int64_t i = 0;
  for (const SampledRow& row : rows) {
    slot.on_host.seed[i] = row.parameters.seed;
    slot.on_host.temperature[i] = row.parameters.temperature;
    slot.on_host.top_p[i] = row.parameters.top_p;
    slot.on_host.min_p[i] = row.parameters.min_p;
    slot.on_host.top_k[i] = row.parameters.top_k;
    slot.on_host.position[i++] = static_cast<std::int32_t>(row.position);
  }
  stream.Copy(slot.memory->data(), slot.host.data(), capacity_ * kRowBytes);
  const kernels::SampleArgs args{.logits = logits,
                                 .temperature = slot.on_device.temperature,
                                 .top_k = slot.on_device.top_k,
                                 .top_p = slot.on_device.top_p,
                                 .min_p = slot.on_device.min_p,
                                 .seed = slot.on_device.seed,
                                 .position = slot.on_device.position,
                                 .token = slot.on_device.token,
                                 .logprob = slot.on_device.logprob};
  const Status status = kernels::CheckSampleArgs(args);
  GLINT_CHECK(status.ok(), status.error().message);
  operations_.sample(stream, args);
  stream.Copy(slot.on_host.token, slot.on_device.token, count * 4);
}

std::span<const std::int32_t> Sampler::Tokens(std::size_t slot) const {
  return {slots_[slot].on_host.token, static_cast<std::size_t>(slots_[slot].rows)};
}

model::SamplesInFlight Sampler::OnDevice(std::size_t slot) const {
  return {.tokens = slots_[slot].on_device.token, .count = slots_[slot].rows};
}

}  // namespace glint::engine
