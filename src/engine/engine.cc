// SPDX-License-Identifier: Apache-2.0
#include "engine/engine.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/check.h"
#include "base/format.h"
#include "base/log.h"
#include "base/thread_name.h"
#include "engine/internal/block_hash.h"
#include "engine/internal/resolve_options.h"
#include "engine/internal/step_runner.h"
#include "engine/internal/watchdog.h"
#include "engine/step_cost_adapter.h"

namespace glint::engine {

struct Engine::InFlight {
  sched::StepPlan plan;
  std::chrono::nanoseconds enqueued{};
  std::optional<Error> error;  // it could not be enqueued
};

namespace {

std::int64_t PagesFor(std::int64_t tokens, std::int64_t page_tokens) {
  return (tokens + page_tokens - 1) / page_tokens;
}

}  // namespace

Engine::Engine(EngineOptions options, std::int64_t vocab_size, std::unique_ptr<FittedStepCost> cost,
               sched::Scheduler scheduler)
    : options_(options),
      vocab_size_(vocab_size),
      cost_(std::move(cost)),
      scheduler_(std::move(scheduler)) {}

Result<std::unique_ptr<Engine>> Engine::Create(model::LoadedModel& model,
                                               const kernels::OperationTable& operations,
                                               device::Device& device, const EngineOptions& asked) {
  GLINT_ASSIGN(const EngineOptions options,
               ResolveOptions(asked, model.spec, device.properties().memory_bytes));
  const std::int64_t pages = options.cache_tokens / options.page_tokens;
  // The format does not matter: what a byte costs is measured.
  auto cost =
      std::make_unique<FittedStepCost>(spec::StepCostModel(model.spec, spec::StorageFormat::kBf16));
  GLINT_ASSIGN(auto scheduler,
               sched::Scheduler::Create(
                   {.pages = {.page_count = static_cast<std::int32_t>(pages),
                              .page_tokens = static_cast<std::int32_t>(options.page_tokens)},
                    .step_tokens = options.step_tokens,
                    .max_sequences = options.max_sequences,
                    // What can start at once passes through the queue too; Submit has the bound.
                    .max_waiting = options.max_waiting + options.max_sequences,
                    .prefix_cache = options.prefix_cache,
                    .step_cost = cost.get(),
                    // A tenth is left for what the model of step time misses.
                    .step_target = options.slo_tpot - options.slo_tpot / 10}));
  std::unique_ptr<Engine> made(
      new Engine(options, model.spec.vocab_size, std::move(cost), std::move(scheduler)));
  GLINT_ASSIGN(made->runner_, StepRunner::Create(model.spec, *model.store, operations, device,
                                                 {.cache = {.dtype = options.cache_dtype,
                                                            .page_count = pages,
                                                            .page_tokens = options.page_tokens},
                                                  .max_rows = options.step_tokens,
                                                  .max_sequences = options.max_sequences,
                                                  .max_logit_rows = options.max_sequences,
                                                  .max_pages_per_sequence = PagesFor(
                                                      options.max_context, options.page_tokens)}));
  made->hasher_ = std::make_unique<const BlockHasher>(BlockHasher::RandomKey());
  made->Publish();
  made->watchdog_ = std::make_unique<Watchdog>([engine = made.get()] { return engine->Counts(); },
                                               [engine = made.get()] { ++engine->stalls_; },
                                               options.stall_limit / 10);
  made->thread_ = std::jthread([engine = made.get()] { engine->Run(); });
  return made;
}

Engine::~Engine() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
}

Status Engine::Check(const GenerateRequest& request) const {
  const auto prompt = static_cast<std::int64_t>(request.prompt.size());
  if (prompt == 0) return InvalidArgument("the prompt has no tokens");
  if (request.max_new_tokens < 1) {
    return InvalidArgument(format("new tokens are {}, must be above 0", request.max_new_tokens));
  }
  if (request.max_new_tokens > options_.max_context - prompt) {
    return InvalidArgument(
        format("the prompt has {} tokens and {} more were asked for, the context holds {}", prompt,
               request.max_new_tokens, options_.max_context));
  }
  for (const std::int32_t token : request.prompt) {
    if (token < 0 || token >= vocab_size_) return OutOfRange("a token", token, 0, vocab_size_ - 1);
  }
  const SamplingParameters& sampling = request.sampling;
  for (const float value : {sampling.temperature, sampling.top_p, sampling.min_p}) {
    if (!std::isfinite(value)) return InvalidArgument("a sampling parameter is not a number");
  }
  return Ok();
}

Status Engine::CheckQueue(const GenerateRequest& request) const {
  if (stop_) return Unavailable("the engine is shutting down");
  if (unfinished_ >= options_.max_sequences + options_.max_waiting) {
    return ResourceExhausted(format("{} requests run or wait already, the limits are {} and {}",
                                    unfinished_, options_.max_sequences, options_.max_waiting));
  }
  const std::int64_t queued = waiting_tokens_ + static_cast<std::int64_t>(request.prompt.size());
  if (options_.max_waiting_tokens > 0 && waiting_tokens_ > 0 &&
      queued > options_.max_waiting_tokens) {
    return ResourceExhausted(format("the queue would hold {} prompt tokens, its limit is {}",
                                    queued, options_.max_waiting_tokens));
  }
  // Nobody waits less because an idle engine refuses, and an estimate that is too long would never
  // be corrected: only steps that run correct it.
  if (options_.slo_ttft.count() == 0 || unfinished_ == 0) return Ok();
  sched::QueueLoad load = load_;
  load.waiting = waiting_requests_;
  load.waiting_tokens = waiting_tokens_;
  const auto prompt = static_cast<std::int64_t>(request.prompt.size());
  const auto passed = std::chrono::steady_clock::now() - request.arrived;
  if (!sched::KeepsFirstToken(load, prompt, options_.slo_ttft - passed)) {
    const auto wait = sched::EstimateFirstToken(load, prompt) + passed;
    return ResourceExhausted(
        format("the first token would come after {} ms, the target is {} ms",
               std::chrono::duration_cast<std::chrono::milliseconds>(wait).count(),
               std::chrono::duration_cast<std::chrono::milliseconds>(options_.slo_ttft).count()));
  }
  return Ok();
}

void Engine::NamePrompt(Active& active) const {
  if (!options_.prefix_cache) return;
  const std::vector<std::int32_t>& prompt = active.request.prompt;
  const auto page = static_cast<std::size_t>(options_.page_tokens);
  active.last_block = hasher_->Root(active.request.cache_salt);
  for (std::size_t end = page; end <= prompt.size(); end += page) {
    active.last_block =
        hasher_->Next(active.last_block, std::span(prompt).subspan(end - page, page));
    active.blocks.push_back(active.last_block);
  }
}

Status Engine::Submit(GenerateRequest request, GenerateSink sink) {
  GLINT_TRY(Check(request));
  const RequestTimes times{.arrived = request.arrived};
  Active active{.request = std::move(request), .sink = std::move(sink), .times = times};
  NamePrompt(active);
  {
    const std::lock_guard lock(mutex_);
    GLINT_TRY(CheckQueue(active.request));
    ++unfinished_;
    ++waiting_requests_;
    waiting_tokens_ += static_cast<std::int64_t>(active.request.prompt.size());
    arrivals_.push_back(std::move(active));
  }
  wake_.notify_all();
  return Ok();
}

void Engine::Cancel(RequestId request) {
  {
    const std::lock_guard lock(mutex_);
    cancels_.push_back(request);
  }
  wake_.notify_all();
}

EngineCounts Engine::Counts() const {
  const std::lock_guard lock(mutex_);
  EngineCounts counts = counts_;
  counts.waiting += static_cast<std::int64_t>(arrivals_.size());
  const bool busy = counts.running + counts.waiting > 0;
  counts.since_progress = busy ? Now() - last_progress_ : std::chrono::nanoseconds(0);
  counts.stalls = stalls_;
  return counts;
}

std::chrono::nanoseconds Engine::Now() const { return std::chrono::steady_clock::now() - start_; }

void Engine::Run() {
  NameThread("glint-engine");
  while (TakeCommands()) {
    sched::StepPlan plan = scheduler_.Plan(Now());
    const bool idle = plan.empty();
    if (!idle) Start(std::move(plan));
    // What follows a step that could not be enqueued may not refer to its samples.
    const bool broken = !in_flight_.empty() && in_flight_.back().error.has_value();
    if (in_flight_.size() > 1 || (idle && !in_flight_.empty())) Complete();
    if (broken && !in_flight_.empty()) Complete();
    Publish();
    Deliver();
  }
  while (!in_flight_.empty()) Complete();
  while (!active_.empty()) Finish(active_.begin()->first, FinishReason::kCancelled, {});
  Publish();
  Deliver();
}

void Engine::Deliver() {
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [sink, event] : outbox_) unfinished_ -= event.finish ? 1 : 0;
  }
  for (auto& [sink, event] : outbox_) sink(std::move(event));
  outbox_.clear();
}

bool Engine::TakeCommands() {
  std::deque<Active> arrivals;
  std::vector<RequestId> cancels;
  {
    std::unique_lock lock(mutex_);
    const bool idle = in_flight_.empty() && active_.empty();
    if (idle) {
      wake_.wait(lock, [this] { return stop_ || !arrivals_.empty() || !cancels_.empty(); });
      last_progress_ = Now();
    }
    arrivals.swap(arrivals_);
    cancels.swap(cancels_);
    if (stop_) {
      lock.unlock();
      for (Active& active : arrivals) {
        CountAsStarted(active);
        outbox_.emplace_back(
            std::move(active.sink),
            GenerateEvent{.finish = FinishReason::kCancelled, .times = active.times});
      }
      return false;
    }
  }
  for (Active& active : arrivals) Admit(std::move(active));
  for (const RequestId request : cancels) Abandon(request);
  return true;
}

void Engine::Admit(Active active) {
  const auto sequence = static_cast<SequenceId>(next_sequence_++);
  const RequestId request = active.request.request;
  Status status = Ok();
  if (sequence_of_.contains(request)) {
    status = InvalidArgument(format("request {} is running already", Number(request)));
  } else {
    status = scheduler_.Submit(
        Now(), {.sequence = sequence,
                .prompt_tokens = static_cast<std::int64_t>(active.request.prompt.size()),
                .max_new_tokens = active.request.max_new_tokens,
                .priority = active.request.priority,
                .blocks = std::move(active.blocks)});
  }
  if (!status.ok()) {
    CountAsStarted(active);
    outbox_.emplace_back(active.sink, GenerateEvent{.finish = FinishReason::kError,
                                                    .error = status.error(),
                                                    .times = active.times});
    return;
  }
  sequence_of_[request] = sequence;
  active_.emplace(sequence, std::move(active));
}

void Engine::Abandon(RequestId request) {
  const auto found = sequence_of_.find(request);
  if (found == sequence_of_.end()) return;
  const SequenceId sequence = found->second;
  scheduler_.Cancel(sequence);
  Finish(sequence, FinishReason::kCancelled, {});
}

void Engine::CountAsStarted(const Active& active) {
  ++started_requests_;
  started_tokens_ += static_cast<std::int64_t>(active.request.prompt.size());
}

void Engine::CountStart(const sched::RowRange& range, Active& active) {
  const auto prompt = static_cast<std::int64_t>(active.request.prompt.size());
  if (!std::exchange(active.started, true)) {
    active.times.scheduled = std::chrono::steady_clock::now();
    active.cached_tokens = active.prompt_done = range.first_position;
    CountAsStarted(active);
  }
  // A preempted prompt runs again and counts once.
  const std::int64_t done = std::min(range.first_position + range.count, prompt);
  totals_.prompt_tokens += std::max<std::int64_t>(done - active.prompt_done, 0);
  active.prompt_done = std::max(done, active.prompt_done);
}

void Engine::Start(sched::StepPlan plan) {
  std::vector<SequenceRows> rows;
  for (const sched::RowRange& range : plan.micro_batches.front().ranges) {
    Active& active = active_.at(range.sequence);
    CountStart(range, active);
    rows.push_back({.prompt = active.request.prompt,
                    .generated = active.generated,
                    .pages = scheduler_.Pages(range.sequence),
                    .sampling = active.request.sampling});
  }
  InFlight step{.plan = std::move(plan), .enqueued = Now(), .error = std::nullopt};
  const Status status = runner_->Enqueue(step.plan, rows);
  if (!status.ok()) step.error = status.error();
  in_flight_.push_back(std::move(step));
}

void Engine::Complete() {
  const InFlight step = std::move(in_flight_.front());
  in_flight_.pop_front();
  std::span<const std::int32_t> tokens;
  if (!step.error) {
    tokens = runner_->Wait();
    // It could not begin before the step ahead of it was done.
    const std::chrono::nanoseconds now = Now();
    cost_->Observe(sched::CountsOf(step.plan), now - std::max(step.enqueued, last_complete_));
    last_complete_ = now;
  }
  sched::StepResult result{.step = step.plan.step, .accepted = {}};
  std::size_t next = 0;
  for (const sched::RowRange& range : step.plan.micro_batches.front().ranges) {
    if (step.error) {
      Finish(range.sequence, FinishReason::kError, {.error = step.error});
      result.accepted.push_back({.sequence = range.sequence, .finished = true, .discard = true});
    } else if (range.sample) {
      result.accepted.push_back(Take(range, tokens[next++]));
    } else {
      result.accepted.push_back(
          {.sequence = range.sequence, .finished = !active_.contains(range.sequence)});
    }
  }
  scheduler_.Commit(result);
  ++totals_.steps;
  const std::lock_guard lock(mutex_);
  last_progress_ = Now();
}

sched::Accepted Engine::Take(const sched::RowRange& range, std::int32_t token) {
  const auto found = active_.find(range.sequence);
  // Cancelled or stopped while this step was under way: the row is void.
  if (found == active_.end()) return {.sequence = range.sequence, .finished = true};
  Active& active = found->second;
  if (token < 0) {
    ++totals_.corrupted_requests;
    Finish(range.sequence, FinishReason::kError,
           {.error = DataLoss("the model's logits are not numbers (NaN or infinity)")});
    return {.sequence = range.sequence, .finished = true, .discard = true};
  }
  if (active.generated.empty()) active.times.first_token = std::chrono::steady_clock::now();
  active.generated.push_back(token);
  ++totals_.generated_tokens;
  const std::vector<std::int32_t>& ends = active.request.end_tokens;
  const bool ended = std::find(ends.begin(), ends.end(), token) != ends.end();
  const auto generated = static_cast<std::int64_t>(active.generated.size());
  GenerateEvent event;
  if (ended) {
    event.end_token = token;
    Finish(range.sequence, FinishReason::kStop, std::move(event));
  } else if (generated >= active.request.max_new_tokens) {
    event.tokens = {token};
    Finish(range.sequence, FinishReason::kLength, std::move(event));
  } else {
    event.tokens = {token};
    event.generated_tokens = generated;
    event.cached_tokens = active.cached_tokens;
    event.times = active.times;
    outbox_.emplace_back(active.sink, std::move(event));
    return {.sequence = range.sequence, .tokens = 1, .blocks = NameNewPage(active)};
  }
  return {.sequence = range.sequence, .tokens = 1, .finished = true};
}

std::vector<BlockHash> Engine::NameNewPage(Active& active) const {
  const std::vector<std::int32_t>& prompt = active.request.prompt;
  const auto page = static_cast<std::size_t>(options_.page_tokens);
  const std::size_t tokens = prompt.size() + active.generated.size();
  if (!options_.prefix_cache || tokens % page != 0) return {};
  const std::size_t generated = std::min(page, active.generated.size());
  std::vector<std::int32_t> last(prompt.end() - static_cast<std::ptrdiff_t>(page - generated),
                                 prompt.end());
  last.insert(last.end(), active.generated.end() - static_cast<std::ptrdiff_t>(generated),
              active.generated.end());
  active.last_block = hasher_->Next(active.last_block, last);
  return {active.last_block};
}

void Engine::Finish(SequenceId sequence, FinishReason reason, GenerateEvent event) {
  const auto found = active_.find(sequence);
  if (found == active_.end()) return;
  Active active = std::move(found->second);
  active_.erase(found);
  sequence_of_.erase(active.request.request);
  if (!active.started) CountAsStarted(active);
  active.times.finished = std::chrono::steady_clock::now();
  event.finish = reason;
  event.generated_tokens = static_cast<std::int64_t>(active.generated.size());
  event.cached_tokens = active.cached_tokens;
  event.times = active.times;
  outbox_.emplace_back(std::move(active.sink), std::move(event));
}

void Engine::Publish() {
  const sched::SchedulerCounts now = scheduler_.Counts();
  totals_.running = now.running;
  totals_.waiting = now.waiting;
  totals_.free_pages = now.free_pages;
  totals_.page_count = options_.cache_tokens / options_.page_tokens;
  totals_.preemptions = now.preemptions;
  totals_.prefix_queries = now.prefix_queries;
  totals_.prefix_hits = now.prefix_hits;
  totals_.stall_after = StallAfter();
  const sched::QueueLoad load =
      options_.slo_ttft.count() > 0 ? scheduler_.Load() : sched::QueueLoad{};
  const std::lock_guard lock(mutex_);
  load_ = load;
  waiting_requests_ -= std::exchange(started_requests_, 0);
  waiting_tokens_ -= std::exchange(started_tokens_, 0);
  counts_ = totals_;
}

// Nothing is known of the first steps of a process, which may read weights from a disk.
std::chrono::nanoseconds Engine::StallAfter() const {
  constexpr int kUnknown = 12;
  constexpr int kTooSlow = 10;
  std::chrono::nanoseconds under_way{0};
  for (const InFlight& step : in_flight_) {
    const std::chrono::nanoseconds estimate = cost_->Estimate(sched::CountsOf(step.plan));
    if (estimate.count() == 0) return kUnknown * options_.stall_limit;
    under_way += estimate;
  }
  return std::max(options_.stall_limit, kTooSlow * under_way);
}

}  // namespace glint::engine
