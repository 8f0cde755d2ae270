// SPDX-License-Identifier: Apache-2.0
#include "model/weight_store.h"

#include <gtest/gtest.h>

#include <set>

#include "device/cpu/cpu_device.h"
#include "spec/builtin_models.h"
#include "spec/config_parser.h"

namespace glint::model {
namespace {

TEST(ResidentStore, GivesWhatWasAddedAndNothingElse) {
  const auto cpu = device::MakeCpuDevice();
  const auto stream = cpu->CreateStream();
  ResidentStore store;
  tensor::WeightView view;
  view.rows = 7;
  store.Add({3, 12}, WeightSlot::kGate, view);
  const std::vector<WeightId> soon = {{3, 12}};
  store.Prefetch(soon);
  const Lease lease = store.Acquire({3, 12}, *stream).value();
  EXPECT_EQ(lease.Get(WeightSlot::kGate).rows, 7);
  EXPECT_EQ(lease.Find(WeightSlot::kUp), nullptr);
  EXPECT_EQ(store.PlaceOf({3, 12}), WeightPlace::kDevice);
  EXPECT_EQ(store.Acquire({3, 13}, *stream).error().message, "no weights for layer 3, expert 13");
}

TEST(Lease, ReleasesOnceWhereverItWasMoved) {
  int released = 0;
  {
    Lease first({}, [&] { ++released; });
    Lease second = std::move(first);
    Lease third({}, [&] { released += 10; });
    third = std::move(second);
  }
  EXPECT_EQ(released, 11);
}

TEST(WeightSlot, EveryTensorOfEveryBuiltinModelHasItsSlot) {
  for (const std::string& name : spec::BuiltinModelNames()) {
    const auto model = spec::ParseBuiltin(name);
    std::set<std::tuple<std::int64_t, bool, int>> seen;
    for (const spec::TensorGroup& group : spec::ListTensors(model.value())) {
      const auto slot = SlotOf(group.name);
      ASSERT_TRUE(slot.has_value()) << group.name;
      const bool expert = group.role == spec::TensorRole::kExpert;
      EXPECT_TRUE(seen.emplace(group.layer, expert, static_cast<int>(*slot)).second) << group.name;
    }
  }
}

TEST(WeightSlot, UnknownNamesHaveNone) {
  for (const char* name : {"", "model.layers.", "model.layers.3", "model.layers.3.mlp.gate",
                           "model.layers.3.self_attn.rotary.weight", "layers.3.enorm.weight"}) {
    EXPECT_FALSE(SlotOf(name).has_value()) << name;
  }
}

}  // namespace
}  // namespace glint::model
