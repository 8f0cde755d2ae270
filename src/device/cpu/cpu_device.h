// SPDX-License-Identifier: Apache-2.0
// The CPU as a device: memory is host memory, a stream runs each piece of work when it is given,
// a graph is the list of pieces.
#pragma once

#include <functional>
#include <memory>

#include "device/cpu/worker_pool.h"
#include "device/device.h"

namespace glint::device {

// All streams of the device share one pool of `threads` kernel workers (the caller of a stream is
// one of them); 0: as many as the machine has processors.
std::unique_ptr<Device> MakeCpuDevice(int threads = 0);

// How CPU kernels enqueue: runs `work` now, or records it while a capture is open. `stream` must
// be a stream of the CPU device. `work` holds its arguments by value.
void SubmitCpu(Stream& stream, std::function<void(WorkerPool& pool)> work);

}  // namespace glint::device
