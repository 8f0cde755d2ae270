// SPDX-License-Identifier: Apache-2.0
// Collectives between the ranks of one group. Stream-ordered and capturable: a call returns at
// once and the result is there for later work of the same stream.
//
// Seam: design.md section 3, "Shard". One process is the group of one rank (SingleRank), in which
// every collective is a copy or nothing; NCCL, RCCL and MPI come behind the same interface.
#pragma once

#include <cstdint>
#include <memory>

#include "device/device.h"
#include "tensor/dtype.h"

namespace glint::device {

class Collective {
 public:
  virtual ~Collective() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;

  // Sums `count` elements over all ranks, in rank order, into `data` of every rank.
  virtual void AllReduceSum(Stream& stream, tensor::DType dtype, void* data,
                            std::int64_t count) = 0;
  // Every rank gives `count` elements; every rank receives size() * count, in rank order. `all`
  // may hold this rank's part already at its place (then `mine` points into it).
  virtual void AllGather(Stream& stream, tensor::DType dtype, const void* mine, void* all,
                         std::int64_t count) = 0;
  // `bytes` bytes of rank `root` to every rank.
  virtual void Broadcast(Stream& stream, void* data, std::int64_t bytes, int root) = 0;
};

// The group of one rank.
std::unique_ptr<Collective> MakeSingleRank();

}  // namespace glint::device
