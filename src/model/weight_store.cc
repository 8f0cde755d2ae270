// SPDX-License-Identifier: Apache-2.0
#include "model/weight_store.h"

#include "base/check.h"
#include "base/format.h"

namespace glint::model {

const tensor::WeightView* Lease::Find(WeightSlot slot) const {
  for (const SlottedWeight& weight : weights_) {
    if (weight.slot == slot) return &weight.view;
  }
  return nullptr;
}

const tensor::WeightView& Lease::Get(WeightSlot slot) const {
  const tensor::WeightView* view = Find(slot);
  GLINT_CHECK(view != nullptr, format("slot {} of the unit", static_cast<int>(slot)));
  return *view;
}

void ResidentStore::Add(WeightId id, WeightSlot slot, const tensor::WeightView& view) {
  std::vector<SlottedWeight>& unit = units_[id];
  for (const SlottedWeight& weight : unit) GLINT_CHECK(weight.slot != slot, "a slot added once");
  unit.push_back({slot, view});
}

void ResidentStore::Prefetch(std::span<const WeightId> /*ids*/) {}

Result<Lease> ResidentStore::Acquire(WeightId id, device::Stream& /*stream*/) {
  const auto found = units_.find(id);
  if (found == units_.end()) {
    return NotFound(format("no weights for layer {}, expert {}", id.layer, id.expert));
  }
  return Lease(found->second, {});
}

WeightPlace ResidentStore::PlaceOf(WeightId /*id*/) const { return WeightPlace::kDevice; }

}  // namespace glint::model
