// SPDX-License-Identifier: Apache-2.0
// Where the forward pass gets its weights, one unit at a time: a routed expert of a layer, or
// everything else of a layer. A unit may live on the device, on the host or in a file, and may move
// between steps, never within one; a lease keeps it in place until the stream is done with it.
//
// Seam: design.md section 3, "WeightStore". ResidentStore keeps all units where they are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "model/weight_slot.h"
#include "tensor/weight_view.h"

namespace glint::model {

// layer -1: what is outside the layers. expert -1: all of the layer but its routed experts.
struct WeightId {
  std::int64_t layer = -1;
  std::int64_t expert = -1;
  friend bool operator==(const WeightId&, const WeightId&) = default;
};

enum class WeightPlace : std::uint8_t { kDevice, kHost, kFile };

struct SlottedWeight {
  WeightSlot slot;
  tensor::WeightView view;
};

// Access to one unit. Movable; the unit may move again once the lease is gone and the work that
// was in its stream by then is done.
class Lease {
 public:
  Lease(std::span<const SlottedWeight> weights, std::function<void()> release)
      : weights_(weights), release_(std::move(release)) {}
  ~Lease() {
    if (release_) release_();
  }
  Lease(Lease&& other) noexcept
      : weights_(other.weights_), release_(std::exchange(other.release_, {})) {}
  Lease& operator=(Lease&& other) noexcept {
    std::swap(weights_, other.weights_);
    std::swap(release_, other.release_);
    return *this;
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  [[nodiscard]] std::span<const SlottedWeight> weights() const { return weights_; }
  // Null when the unit has no such weight. A dozen entries: linear.
  [[nodiscard]] const tensor::WeightView* Find(WeightSlot slot) const;
  // A weight that must be there.
  [[nodiscard]] const tensor::WeightView& Get(WeightSlot slot) const;

 private:
  std::span<const SlottedWeight> weights_;
  std::function<void()> release_;
};

// Thread-compatible: the engine thread owns it.
class WeightStore {
 public:
  virtual ~WeightStore() = default;
  // Says that these units are needed soon. Never blocks; units that are in place cost nothing.
  virtual void Prefetch(std::span<const WeightId> ids) = 0;
  // Waits until the unit is usable from `stream`. Fails with kNotFound for a unit that the model
  // does not have, with kResourceExhausted when it cannot be brought in beside the live leases.
  virtual Result<Lease> Acquire(WeightId id, device::Stream& stream) = 0;
  [[nodiscard]] virtual WeightPlace PlaceOf(WeightId id) const = 0;
};

// All units stay where they are: device memory, or host memory that a checkpoint maps.
class ResidentStore : public WeightStore {
 public:
  // The memory behind `view` must outlive the store (Own can see to that). A slot is added once
  // per unit.
  void Add(WeightId id, WeightSlot slot, const tensor::WeightView& view);
  // Keeps memory as long as the store.
  void Own(std::unique_ptr<device::Memory> memory) { owned_.push_back(std::move(memory)); }

  void Prefetch(std::span<const WeightId> ids) override;
  Result<Lease> Acquire(WeightId id, device::Stream& stream) override;
  [[nodiscard]] WeightPlace PlaceOf(WeightId id) const override;

 private:
  struct Hash {
    std::size_t operator()(const WeightId& id) const noexcept {
      return std::hash<std::int64_t>()(id.layer * 65536 + id.expert);
    }
  };
  std::unordered_map<WeightId, std::vector<SlottedWeight>, Hash> units_;
  std::vector<std::unique_ptr<device::Memory>> owned_;
};

}  // namespace glint::model
