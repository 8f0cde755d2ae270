// SPDX-License-Identifier: Apache-2.0
// A thread that runs pieces of work in the order in which they were given: what makes a stream of
// the CPU device run beside its host thread, as a GPU's does.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace glint::device {

// Thread-safe.
class WorkQueue {
 public:
  WorkQueue();
  ~WorkQueue();  // runs what is queued, then ends the thread
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  void Push(std::function<void()> work);
  // Blocks until all that was pushed before is done.
  void Drain();

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void()>> waiting_;
  bool running_ = false;  // the thread holds pieces that it took
  bool stop_ = false;
  std::jthread thread_;
};

}  // namespace glint::device
