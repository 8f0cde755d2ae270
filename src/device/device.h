// SPDX-License-Identifier: Apache-2.0
// What every device gives: memory, streams, events, graphs. One process drives one device.
//
// Seam: design.md section 3, "Graphs". Today's implementation is the CPU (device/cpu), where a
// stream runs work at once or on a thread of its own, and a graph is a list of calls; CUDA and HIP
// come behind the same interface. Kernels are in kernels/, one table of functions per device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace glint::device {

// Work captured from a stream, to be launched again with the same addresses and sizes. What
// changes between launches (page tables, lengths, token ids) is read from device memory.
class Graph {
 public:
  virtual ~Graph() = default;
};

// A point in a stream that others can wait for.
class Event {
 public:
  virtual ~Event() = default;
  // True when all work before the recorded point is done; true if never recorded. Never blocks.
  [[nodiscard]] virtual bool IsDone() const = 0;
  // Blocks the host until IsDone. One thread at a time records and waits.
  virtual void Synchronize() const = 0;
};

// Work in order. Thread-compatible: the engine thread owns it.
class Stream {
 public:
  virtual ~Stream() = default;

  // Device memory on both sides, or host memory on one; captured when a capture is open. Host
  // memory must stay valid until the work is done.
  virtual void Copy(void* to, const void* from, std::int64_t bytes) = 0;
  virtual void FillZero(void* to, std::int64_t bytes) = 0;

  virtual void Record(Event& event) = 0;
  virtual void Wait(const Event& event) = 0;  // later work of this stream waits for the event

  // Blocks until all work is done. Fails with kUnavailable when the device reported a fault.
  virtual Status Synchronize() = 0;

  // Between BeginCapture and EndCapture work is recorded instead of run. Opening a capture twice,
  // and ending one that is not open, is a bug. Synchronize and Record are not allowed inside.
  virtual void BeginCapture() = 0;
  virtual std::unique_ptr<Graph> EndCapture() = 0;
  virtual void Launch(Graph& graph) = 0;  // a graph of a stream of the same device
};

// Device memory, freed when the object goes; all work that uses it must be done by then.
class Memory {
 public:
  virtual ~Memory() = default;
  [[nodiscard]] virtual std::byte* data() const = 0;
  [[nodiscard]] virtual std::int64_t bytes() const = 0;
};

struct DeviceProperties {
  std::string name;                    // "cpu", "NVIDIA H200"
  std::int64_t memory_bytes = 0;       // of the device in all
  std::int64_t memory_alignment = 64;  // of every Allocate
  bool is_host = true;                 // device memory can be read by the host directly
};

class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual const DeviceProperties& properties() const = 0;
  // Fails with kResourceExhausted, naming the bytes wanted and free. `bytes` >= 0. The content is
  // zero. Slow: for start-up, not for a step.
  virtual Result<std::unique_ptr<Memory>> Allocate(std::int64_t bytes) = 0;
  virtual std::unique_ptr<Stream> CreateStream() = 0;
  virtual std::unique_ptr<Event> CreateEvent() = 0;
};

}  // namespace glint::device
