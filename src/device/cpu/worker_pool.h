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

  // Calls piece(i) for each i in [0, count), in any order, and returns when all are done. Pieces
  // must not call Run.
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

  // The job at hand; written before generation_ goes up.
  std::int64_t count_ = 0;
  const void* piece_ = nullptr;
  Call call_ = nullptr;
  std::atomic<std::int64_t> next_ = 0;
  std::atomic<int> busy_ = 0;                  // workers that have not finished the job
  std::atomic<std::uint32_t> generation_ = 0;  // goes up with each job and at the end
  bool stop_ = false;
  std::vector<std::jthread> workers_;
};

}  // namespace glint::device
