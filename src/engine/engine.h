// SPDX-License-Identifier: Apache-2.0
// The step loop: sched decides what goes into a step, model runs it, the sampler picks, and each
// request hears of its tokens.
//
// One thread does all of it, one step ahead: while a step runs on the device, the next one is
// planned and enqueued, its rows refer to samples that are still being made; a stop found
// afterwards makes the row planned after it void (sched/scheduler.h). Needs a device whose streams
// do not block the host (device/cpu: CpuStreams::kQueued); on others it is correct, and a step
// late.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "device/device.h"
#include "engine/generate.h"
#include "kernels/operations.h"
#include "model/loaded_model.h"
#include "sched/queue_load.h"
#include "sched/scheduler.h"

namespace glint::engine {

class BlockHasher;
class FittedStepCost;
class StepRunner;
class Watchdog;

struct EngineOptions {
  tensor::DType cache_dtype = tensor::DType::kBF16;
  std::int64_t page_tokens = 16;
  std::int64_t cache_tokens =
      0;                         // in all; 0: a quarter of the device's memory, or what can be used
  std::int64_t max_context = 0;  // prompt and answer of a request; 0: the model's
  std::int64_t step_tokens = 512;       // rows of a step
  std::int64_t max_sequences = 32;      // running at once
  std::int64_t max_waiting = 1024;      // queue
  std::int64_t max_waiting_tokens = 0;  // prompt tokens in the queue; 0: no bound
  bool prefix_cache = true;             // pages of earlier requests are found again
  // Targets; 0: none. The first token of a request, from its arrival: one that would miss it is
  // refused. A token after the first: batches and chunks grow as far as it allows.
  std::chrono::nanoseconds slo_ttft{0};
  std::chrono::nanoseconds slo_tpot{0};
  // A step that takes longer, and ten times longer than steps of its size take, has stalled.
  std::chrono::nanoseconds stall_limit = std::chrono::seconds(5);
};

// A moment of the engine; counters since start.
struct EngineCounts {
  std::int64_t running = 0;
  std::int64_t waiting = 0;
  std::int64_t free_pages = 0;  // held by no request, those that may be found again included
  std::int64_t page_count = 0;
  std::int64_t steps = 0;
  std::int64_t prompt_tokens = 0;       // gone through the model
  std::int64_t generated_tokens = 0;    // handed out
  std::int64_t corrupted_requests = 0;  // logits that were no numbers
  std::int64_t preemptions = 0;         // requests that gave up their pages and ran again
  std::int64_t prefix_queries = 0;      // prompt tokens looked up in the prefix cache
  std::int64_t prefix_hits = 0;         // of these, tokens that were found
  std::int64_t stalls = 0;              // times that the watchdog spoke
  // Since a step was last completed, while there is work; 0 when idle. Grows when a step hangs.
  std::chrono::nanoseconds since_progress{};
  std::chrono::nanoseconds stall_after{};  // what since_progress may be with the steps under way
  [[nodiscard]] bool stalled() const { return since_progress > stall_after; }
};

// Thread-safe. A second thread, the watchdog, logs the engine's state once when a step stalls.
class Engine {
 public:
  // `model`, `operations` and `device` must outlive the object. Fails with kInvalidArgument for an
  // option out of its range, with kResourceExhausted when the caches do not fit.
  static Result<std::unique_ptr<Engine>> Create(model::LoadedModel& model,
                                                const kernels::OperationTable& operations,
                                                device::Device& device,
                                                const EngineOptions& options);
  // Every request that is not finished ends as kCancelled; its sink is called before this returns.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Queues a request. `sink` hears of it until the event with `finish`. Fails, and never calls the
  // sink, with kInvalidArgument for a value out of range, with kResourceExhausted when the queue is
  // full or the first token would miss its target, with kUnavailable when the engine is going.
  Status Submit(GenerateRequest request, GenerateSink sink);

  // Ends a request; its pages are free within one step. Unknown and finished ones are no error.
  void Cancel(RequestId request);

  [[nodiscard]] EngineCounts Counts() const;
  [[nodiscard]] const EngineOptions& options() const { return options_; }  // with 0 resolved
  [[nodiscard]] std::int64_t vocab_size() const { return vocab_size_; }

 private:
  struct Active {
    GenerateRequest request;
    GenerateSink sink;
    std::vector<std::int32_t> generated{};
    RequestTimes times;
    std::vector<BlockHash> blocks{};  // names of the prompt's full pages, until sched has them
    BlockHash last_block{};           // the name of the last full page
    bool started = false;             // rows of it were in a step
    std::int64_t prompt_done = 0;     // positions of the prompt that ran or were found
    std::int64_t cached_tokens = 0;
  };
  struct InFlight;

  Engine(EngineOptions options, std::int64_t vocab_size, std::unique_ptr<FittedStepCost> cost,
         sched::Scheduler scheduler);
  [[nodiscard]] Status Check(const GenerateRequest& request) const;
  [[nodiscard]] Status CheckQueue(const GenerateRequest& request) const;  // under the mutex
  void NamePrompt(Active& active) const;

  // All that follows is the engine thread's.
  void Run();
  bool TakeCommands();  // waits while there is nothing to do; false when the engine is to end
  void Admit(Active active);
  void Abandon(RequestId request);
  void Start(sched::StepPlan plan);
  void CountStart(const sched::RowRange& range, Active& active);
  void Complete();
  // A token of a sequence, or none (-1) where its logits were no numbers.
  sched::Accepted Take(const sched::RowRange& range, std::int32_t token);
  // The name of the page that the newest token makes full, if it does.
  std::vector<BlockHash> NameNewPage(Active& active) const;
  void Finish(SequenceId sequence, FinishReason reason, GenerateEvent event);
  // Counts first, events then: who hears of an end finds it counted and its pages free.
  void Publish();
  void Deliver();
  [[nodiscard]] std::chrono::nanoseconds Now() const;
  [[nodiscard]] std::chrono::nanoseconds StallAfter() const;
  void CountAsStarted(const Active& active);

  EngineOptions options_;
  std::int64_t vocab_size_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();

  mutable std::mutex mutex_;  // the members up to counts_
  std::condition_variable wake_;
  std::deque<Active> arrivals_;
  std::vector<RequestId> cancels_;
  bool stop_ = false;
  std::int64_t unfinished_ = 0;      // taken, and their end not delivered yet
  std::int64_t waiting_tokens_ = 0;  // prompts of those that have not started, as of Publish
  std::int64_t waiting_requests_ = 0;
  sched::QueueLoad load_;  // as of Publish
  EngineCounts counts_;
  std::chrono::nanoseconds last_progress_{};

  std::unique_ptr<const BlockHasher> hasher_;
  std::unique_ptr<FittedStepCost> cost_;  // before the scheduler, which asks it
  sched::Scheduler scheduler_;
  std::unique_ptr<StepRunner> runner_;
  std::deque<InFlight> in_flight_;
  std::unordered_map<SequenceId, Active> active_;
  std::unordered_map<RequestId, SequenceId> sequence_of_;
  std::uint64_t next_sequence_ = 0;
  EngineCounts totals_;
  std::int64_t started_tokens_ = 0;  // to be taken off waiting_tokens_
  std::int64_t started_requests_ = 0;
  std::chrono::nanoseconds last_complete_{};
  std::vector<std::pair<GenerateSink, GenerateEvent>> outbox_;

  std::atomic<std::int64_t> stalls_ = 0;
  std::unique_ptr<Watchdog> watchdog_;
  std::jthread thread_;  // last: it ends first
};

}  // namespace glint::engine
