// SPDX-License-Identifier: Apache-2.0
// The kernel workers of the CPU device: run the pieces of one operation on all threads, then wait.
//
// Which thread runs which piece is not fixed, so no result may depend on it: a piece owns its
// outputs.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

namespace glint::device {

// Thread-compatible: one thread calls Run at a time, and works along.
class WorkerPool {
 public:
  // `threads` in all, the caller's included; >= 1.
  explicit WorkerPool(int threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  [[nodiscard]] int size() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls piece(i) for each i in [0, count), in any order, and returns when all are done; count is
  // below 2^31. Pieces must not call Run.
  template <typename Piece>
  void Run(std::int64_t count, const Piece& piece) {
    RunErased(count, &piece, [](const void* erased, std::int64_t index) {
      (*static_cast<const Piece*>(erased))(index);
    });
  }

 private:
  using Call = void (*)(const void* piece, std::int64_t index);
  void RunErased(std::int64_t count, const void* piece, Call call);
  void Work();
  void Take();

  // The job at hand; written before state_, read by whoever took a piece of it.
  const void* piece_ = nullptr;
  Call call_ = nullptr;
  // Pieces of the job << 32 | the next one to take. A worker that wakes late finds none left, or
  // takes one of the job that is there by then: nobody waits for workers, only for pieces.
  std::atomic<std::uint64_t> state_ = 0;
  std::atomic<std::uint32_t> done_ = 0;        // pieces that are finished
  std::atomic<std::uint32_t> generation_ = 0;  // goes up with each job and at the end
  std::atomic<bool> stop_ = false;
  std::vector<std::jthread> workers_;
};

}  // namespace glint::device
