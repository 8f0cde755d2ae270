// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/worker_pool.h"

#include <chrono>

#include "base/check.h"
#include "base/thread_name.h"

namespace glint::device {
namespace {

// Operations follow each other within microseconds, so a worker spins before it sleeps; longer than
// this it would take a core from somebody.
constexpr std::chrono::microseconds kSpin(50);

// Returns once `value` differs from `old`.
template <typename T>
void WaitWhile(const std::atomic<T>& value, T old) {
  const auto until = std::chrono::steady_clock::now() + kSpin;
  while (value.load(std::memory_order_acquire) == old) {
    if (std::chrono::steady_clock::now() < until) continue;
    value.wait(old, std::memory_order_acquire);
  }
}

}  // namespace

WorkerPool::WorkerPool(int threads) {
  GLINT_CHECK(threads >= 1, "threads of a pool");
  for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { Work(); });
}

WorkerPool::~WorkerPool() {
  stop_ = true;
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
}

void WorkerPool::Take() {
  for (std::int64_t i = next_.fetch_add(1, std::memory_order_relaxed); i < count_;
       i = next_.fetch_add(1, std::memory_order_relaxed)) {
    call_(piece_, i);
  }
}

void WorkerPool::Work() {
  NameThread("glint-kernel");
  for (std::uint32_t seen = 0;; ++seen) {
    WaitWhile(generation_, seen);
    if (stop_) return;
    Take();
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

void WorkerPool::RunErased(std::int64_t count, const void* piece, Call call) {
  if (count <= 1 || workers_.empty()) {
    for (std::int64_t i = 0; i < count; ++i) call(piece, i);
    return;
  }
  count_ = count;
  piece_ = piece;
  call_ = call;
  next_.store(0, std::memory_order_relaxed);
  busy_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  Take();
  for (int left = busy_.load(std::memory_order_acquire); left != 0;
       left = busy_.load(std::memory_order_acquire)) {
    WaitWhile(busy_, left);
  }
}

}  // namespace glint::device
