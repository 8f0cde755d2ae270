// SPDX-License-Identifier: Apache-2.0
#include "device/collective.h"

#include "base/check.h"

namespace glint::device {
namespace {

class SingleRank : public Collective {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  void AllReduceSum(Stream& /*stream*/, tensor::DType /*dtype*/, void* /*data*/,
                    std::int64_t /*count*/) override {}
  void AllGather(Stream& stream, tensor::DType dtype, const void* mine, void* all,
                 std::int64_t count) override {
    if (mine != all) stream.Copy(all, mine, count * tensor::DTypeBytes(dtype));
  }
  void Broadcast(Stream& /*stream*/, void* /*data*/, std::int64_t /*bytes*/, int root) override {
    GLINT_CHECK(root == 0, "root of a group of one");
  }
};

}  // namespace

std::unique_ptr<Collective> MakeSingleRank() { return std::make_unique<SingleRank>(); }

}  // namespace glint::device
