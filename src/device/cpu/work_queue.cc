// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/work_queue.h"

#include <utility>

#include "base/thread_name.h"

namespace glint::device {

WorkQueue::WorkQueue() : thread_([this] { Run(); }) {}

WorkQueue::~WorkQueue() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
}

void WorkQueue::Push(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(work));
    // A thread at work looks again before it sleeps.
    if (running_ || waiting_.size() > 1) return;
  }
  changed_.notify_all();
}

void WorkQueue::Drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty() && !running_; });
}

void WorkQueue::Run() {
  NameThread("glint-stream");
  std::vector<std::function<void()>> taken;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    taken.swap(waiting_);
    running_ = true;
    lock.unlock();
    for (const std::function<void()>& work : taken) work();
    taken.clear();
    lock.lock();
    running_ = false;
    if (waiting_.empty()) changed_.notify_all();
  }
}

}  // namespace glint::device
