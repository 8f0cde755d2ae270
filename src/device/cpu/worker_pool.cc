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
  stop_.store(true, std::memory_order_release);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
}

void WorkerPool::Take() {
  while (true) {
    std::uint64_t state = state_.load(std::memory_order_acquire);
    const auto next = static_cast<std::uint32_t>(state);
    const auto count = static_cast<std::uint32_t>(state >> 32);
    if (next >= count) return;
    if (!state_.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel)) continue;
    call_(piece_, next);
    if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == count) done_.notify_one();
  }
}

void WorkerPool::Work() {
  NameThread("glint-kernel");
  std::uint32_t seen = 0;
  while (!stop_.load(std::memory_order_acquire)) {
    WaitWhile(generation_, seen);
    seen = generation_.load(std::memory_order_acquire);
    Take();
  }
}

void WorkerPool::RunErased(std::int64_t count, const void* piece, Call call) {
  if (count <= 1 || workers_.empty()) {
    for (std::int64_t i = 0; i < count; ++i) call(piece, i);
    return;
  }
  GLINT_CHECK(count < std::int64_t{1} << 31, "pieces of a job");
  piece_ = piece;
  call_ = call;
  done_.store(0, std::memory_order_relaxed);
  state_.store(static_cast<std::uint64_t>(count) << 32, std::memory_order_release);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  Take();
  const auto all = static_cast<std::uint32_t>(count);
  for (std::uint32_t done = done_.load(std::memory_order_acquire); done != all;
       done = done_.load(std::memory_order_acquire)) {
    WaitWhile(done_, done);
  }
}

}  // namespace glint::device
