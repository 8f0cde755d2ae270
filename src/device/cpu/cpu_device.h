// SPDX-License-Identifier: Apache-2.0
// The CPU as a device: memory is host memory, a graph is the list of pieces of work.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/fallback.h"
#include "device/cpu/worker_pool.h"
#include "device/device.h"

namespace glint::device {

enum class CpuStreams : std::uint8_t {
  kImmediate,  // work is done when the call that gives it returns: least overhead
  kQueued,     // a thread of the stream does it: the host goes on, as with a GPU
};

// All streams of the device share one pool of `threads` kernel workers (the thread that runs a
// stream's work is one of them); 0: as many as the machine has processors.
// `fallbacks` gets what kernels report (ReportCpuFallback) and must outlive the device; null: the
// device keeps a log of its own, so that the first report of a reason is logged in any case.
std::unique_ptr<Device> MakeCpuDevice(int threads = 0, FallbackLog* fallbacks = nullptr,
                                      CpuStreams streams = CpuStreams::kImmediate);

// How CPU kernels enqueue: runs or queues `work`, or records it while a capture is open. `stream`
// must be a stream of the CPU device. `work` holds its arguments by value.
void SubmitCpu(Stream& stream, std::function<void(WorkerPool& pool)> work);

// For a kernel that leaves its arguments to the reference: "linear: no CPU kernel for ...,
// reference".
void ReportCpuFallback(Stream& stream, const std::string& reason);

}  // namespace glint::device
