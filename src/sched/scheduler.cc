// SPDX-License-Identifier: Apache-2.0
#include "sched/scheduler.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"

namespace glint::sched {
namespace {

std::string Named(const char* what, std::int64_t value) {
  return std::string(what) + " is " + std::to_string(value);
}

constexpr std::int64_t kMostPriority = 1'000'000;
constexpr std::chrono::hours kMostAging{1};  // times kMostPriority it fits 64 bits of ns

}  // namespace

Result<Scheduler> Scheduler::Create(Options options) {
  if (options.step_tokens <= 0) {
    return InvalidArgument(Named("tokens per step", options.step_tokens) + ", must be above 0");
  }
  if (options.max_sequences <= 0 || options.max_sequences > options.step_tokens) {
    return InvalidArgument(Named("sequences at once", options.max_sequences) + ", must be 1 to " +
                           std::to_string(options.step_tokens) + ", the tokens per step");
  }
  if (options.max_waiting < 0) {
    return InvalidArgument(Named("queue length", options.max_waiting) + ", must not be negative");
  }
  if (options.max_waiting_tokens < 0) {
    return InvalidArgument(Named("queued prompt tokens", options.max_waiting_tokens) +
                           ", must not be negative");
  }
  if (options.max_preemptions < 0 || options.aging.count() < 0 || options.aging > kMostAging) {
    return InvalidArgument(Named("preemptions", options.max_preemptions) + ", " +
                           Named("aging in ns", options.aging.count()) +
                           "; neither may be negative, aging at most an hour");
  }
  GLINT_ASSIGN(PageTable pages, PageTable::Create(options.pages));
  return Scheduler(options, std::move(pages));
}

Status Scheduler::CheckQueue(const SequenceRequest& request) const {
  const std::int64_t tokens = request.prompt_tokens + request.max_new_tokens;
  const std::int64_t room = std::int64_t{options_.pages.page_count} * options_.pages.page_tokens;
  if (tokens > room) {
    return InvalidArgument(Named("prompt plus new tokens", tokens) + ", the cache holds " +
                           std::to_string(room));
  }
  if (sequences_.contains(request.sequence)) {
    return InvalidArgument("sequence " + std::to_string(Number(request.sequence)) +
                           " is in use already");
  }
  if (waiting_requests_ >= options_.max_waiting) {
    return ResourceExhausted("the queue holds " + std::to_string(waiting_requests_) +
                             " sequences, which is its limit");
  }
  const std::int64_t queued = waiting_tokens_ + request.prompt_tokens;
  if (options_.max_waiting_tokens > 0 && waiting_tokens_ > 0 &&
      queued > options_.max_waiting_tokens) {
    return ResourceExhausted("the queue would hold " + std::to_string(queued) +
                             " prompt tokens, its limit is " +
                             std::to_string(options_.max_waiting_tokens));
  }
  return Ok();
}

Scheduler::Rank Scheduler::RankOf(std::chrono::nanoseconds now, std::int32_t priority) {
  const std::int64_t units = std::clamp<std::int64_t>(priority, -kMostPriority, kMostPriority);
  return {.due_ns = now.count() + units * options_.aging.count(), .arrival = next_arrival_++};
}

Status Scheduler::Submit(std::chrono::nanoseconds now, SequenceRequest request) {
  GLINT_CHECK(request.prompt_tokens > 0 && request.max_new_tokens > 0, "an empty sequence");
  GLINT_TRY(CheckQueue(request));
  const SequenceId id = request.sequence;
  const Rank rank = RankOf(now, request.priority);
  ++waiting_requests_;
  waiting_tokens_ += request.prompt_tokens;
  waiting_.emplace(rank, id);
  Sequence& sequence = sequences_[id];
  sequence.request = std::move(request);
  sequence.rank = rank;
  return Ok();
}

void Scheduler::Cancel(SequenceId sequence) {
  const auto found = sequences_.find(sequence);
  if (found == sequences_.end()) return;
  found->second.finished = true;
  RemoveIfDone(sequence);
}

// The head of the queue or nobody: whoever does not fit is not overtaken, so it starts in the end.
void Scheduler::Admit() {
  while (!waiting_.empty() && static_cast<std::int64_t>(running_.size()) < options_.max_sequences) {
    const SequenceId id = waiting_.begin()->second;
    Sequence& next = sequences_.at(id);
    if (!KeepsTarget(next) || !GivePages(next)) return;
    waiting_.erase(waiting_.begin());
    next.running = true;
    const auto before = [&](const Rank& rank, SequenceId other) {
      return rank < sequences_.at(other).rank;
    };
    running_.insert(std::upper_bound(running_.begin(), running_.end(), next.rank, before), id);
  }
}

// Whether all that run could decode together with this one, a while from now and beside the least
// chunk of another prompt. One alone always may.
bool Scheduler::KeepsTarget(const Sequence& next) const {
  constexpr std::int64_t kAhead = 256;  // tokens of each answer that are looked ahead
  if (running_.empty() || !budget_.limited()) return true;
  StepCounts counts;
  const auto add = [&](const Sequence& sequence) {
    const std::int64_t left = sequence.request.max_new_tokens - sequence.generated;
    AddRows(sequence.known_tokens() + std::min(left, kAhead), 1, true, counts);
  };
  for (const SequenceId id : running_) add(sequences_.at(id));
  add(next);
  AddRows(next.known_tokens(), StepBudget::kLeastChunk, false, counts);
  return budget_.Fits(counts);
}

bool Scheduler::GivePages(Sequence& sequence) {
  const SequenceRequest& request = sequence.request;
  const std::int64_t page_tokens = options_.pages.page_tokens;
  // The last known token always runs: its row is the one that is sampled.
  const std::int64_t findable = (sequence.known_tokens() - 1) / page_tokens;
  const std::span<const BlockHash> names =
      std::span(request.blocks)
          .first(std::min(request.blocks.size(), static_cast<std::size_t>(findable)));
  const PageTable::Match match = pages_.Find(names);
  const bool reserve_all = sequence.preemptions >= options_.max_preemptions;
  const std::int64_t tokens =
      reserve_all ? request.prompt_tokens + request.max_new_tokens : sequence.known_tokens();
  const std::int64_t wanted = (tokens + page_tokens - 1) / page_tokens - match.pages;
  // Those that run will want a page each before long.
  const auto spare = static_cast<std::int64_t>(running_.size());
  if (wanted + spare > pages_.free_pages() - match.idle) return false;
  pages_.Share(request.sequence, names, match.pages);
  GLINT_CHECK(pages_.Reserve(request.sequence, tokens).ok(), "pages that were counted");
  sequence.reserved = reserve_all;
  sequence.named_pages = match.pages;
  sequence.planned = sequence.committed = match.pages * page_tokens;
  if (!std::exchange(sequence.was_found, true)) {
    --waiting_requests_;
    waiting_tokens_ -= request.prompt_tokens;
    if (options_.prefix_cache) counts_.prefix_queries += request.prompt_tokens;
    counts_.prefix_hits += sequence.planned;
  }
  return true;
}

std::optional<RowRange> Scheduler::NextRows(const Sequence& sequence, std::int64_t budget) {
  if (sequence.finished || sequence.leaving || budget <= 0) return std::nullopt;
  const SequenceRequest& request = sequence.request;
  const std::int64_t known = sequence.known_tokens();
  const bool promised = sequence.sampling_step >= 0;
  // The last new token is never fed back, so it needs no row.
  const std::int64_t last = request.prompt_tokens + request.max_new_tokens - 1;
  const std::int64_t end = std::min(known + (promised ? 1 : 0), last);
  if (sequence.planned >= end) return std::nullopt;
  RowRange range{.sequence = request.sequence, .first_position = sequence.planned};
  range.count = std::min(end - sequence.planned, budget);
  const std::int64_t stop = range.first_position + range.count;
  range.sample = stop >= known;
  if (stop > known) range.token_from_step = sequence.sampling_step;
  return range;
}

bool Scheduler::HasPages(const RowRange& range) const {
  const auto pages = static_cast<std::int64_t>(pages_.Pages(range.sequence).size());
  return range.first_position + range.count <= pages * options_.pages.page_tokens;
}

void Scheduler::Take(const RowRange& range, std::int64_t step, MicroBatch& batch) {
  Sequence& sequence = sequences_.at(range.sequence);
  sequence.planned += range.count;
  ++sequence.in_flight;
  if (range.sample) sequence.sampling_step = step;
  batch.ranges.push_back(range);
}

StepPlan Scheduler::Plan(std::chrono::nanoseconds /*now*/) {
  GLINT_CHECK(open_.size() <= 1, "more than one step ahead");
  StepPlan plan{.step = next_step_++, .micro_batches = {}};
  MicroBatch batch;
  StepCounts counts;
  const std::int64_t preemptions = counts_.preemptions;
  PlanDecodes(plan, batch, counts);
  if (counts_.preemptions == preemptions && !PagesAreComing()) Admit();
  PlanPrompts(plan, batch, counts);
  if (!batch.ranges.empty()) {
    open_.push_back({plan.step, batch.ranges});
    plan.micro_batches.push_back(std::move(batch));
  }
  return plan;
}

void Scheduler::PlanDecodes(StepPlan& plan, MicroBatch& batch, StepCounts& counts) {
  const std::vector<SequenceId> order = running_;  // who is preempted leaves running_
  for (const SequenceId id : order) {
    Sequence& sequence = sequences_.at(id);
    // More than one row to give: a prompt, or tokens to be computed again.
    const std::optional<RowRange> range = NextRows(sequence, 2);
    if (!range || range->count > 1 || counts.rows == options_.step_tokens) continue;
    if (!sequence.running || !MakeRoom(sequence, sequence.planned + 1)) continue;
    AddRows(range->first_position, 1, range->sample, counts);
    Take(*range, plan.step, batch);
  }
}

void Scheduler::PlanPrompts(StepPlan& plan, MicroBatch& batch, StepCounts& counts) {
  const bool decodes = counts.rows > 0;
  std::int64_t least = StepBudget::kLeastChunk;  // of the first prompt
  for (const SequenceId id : running_) {
    const Sequence& sequence = sequences_.at(id);
    std::int64_t room = options_.step_tokens - counts.rows;
    if (decodes && room > least) {
      room = std::max(least, budget_.Chunk(counts, sequence.planned, room));
    }
    const std::optional<RowRange> rows = NextRows(sequence, room);
    // Rows beyond what is known are decoding; their page was not to be had.
    if (!rows || rows->token_from_step >= 0 || !HasPages(*rows)) continue;
    AddRows(rows->first_position, rows->count, rows->sample, counts);
    least = 0;
    Take(*rows, plan.step, batch);
  }
}

bool Scheduler::MakeRoom(Sequence& sequence, std::int64_t token_count) {
  while (!pages_.Reserve(sequence.request.sequence, token_count).ok()) {
    if (PagesAreComing()) return false;
    Sequence* victim = ChooseVictim();
    if (victim == nullptr) return false;
    victim->leaving = true;
    if (victim->in_flight == 0) Suspend(*victim);
    if (victim == &sequence) return false;
  }
  return true;
}

// A page is given back when the last open step that uses it is committed.
bool Scheduler::PagesAreComing() const {
  return std::any_of(running_.begin(), running_.end(), [&](SequenceId id) {
    const Sequence& sequence = sequences_.at(id);
    return sequence.leaving || sequence.finished;
  });
}

// The newest of the lowest priority. Never nothing when somebody wants a page: that one at least is
// not reserved.
Scheduler::Sequence* Scheduler::ChooseVictim() {
  Sequence* victim = nullptr;
  const auto order = [](const Sequence& sequence) {
    return std::pair(sequence.request.priority, sequence.rank.arrival);
  };
  for (const SequenceId id : running_) {
    Sequence& sequence = sequences_.at(id);
    if (sequence.finished || sequence.leaving || sequence.reserved) continue;
    if (victim == nullptr || order(sequence) > order(*victim)) victim = &sequence;
  }
  return victim;
}

// Gives up its pages and its rows, keeps its tokens and its place.
void Scheduler::Suspend(Sequence& sequence) {
  const SequenceId id = sequence.request.sequence;
  pages_.Release(id);
  sequence.planned = sequence.committed = sequence.named_pages = 0;
  sequence.leaving = sequence.running = false;
  ++sequence.preemptions;
  ++counts_.preemptions;
  std::erase(running_, id);
  waiting_.emplace(sequence.rank, id);
}

void Scheduler::Commit(const StepResult& result) {
  GLINT_CHECK(!open_.empty() && open_.front().step == result.step, "the oldest open step");
  const OpenStep step = std::move(open_.front());
  open_.pop_front();
  GLINT_CHECK(step.ranges.size() == result.accepted.size(), "one entry for each range");
  for (std::size_t i = 0; i < step.ranges.size(); ++i) {
    const Accepted& accepted = result.accepted[i];
    GLINT_CHECK(accepted.sequence == step.ranges[i].sequence, "ranges in order");
    Sequence& sequence = sequences_.at(accepted.sequence);
    --sequence.in_flight;
    if (sequence.sampling_step == step.step) sequence.sampling_step = -1;
    // Rows that followed a stop are void: what they sampled counts for nothing.
    if (!sequence.finished) Apply(accepted, step.ranges[i], sequence);
    if (sequence.leaving && !sequence.finished && sequence.in_flight == 0) Suspend(sequence);
    RemoveIfDone(accepted.sequence);
  }
}

void Scheduler::Apply(const Accepted& accepted, const RowRange& range, Sequence& sequence) {
  sequence.committed = range.first_position + range.count;
  sequence.generated += accepted.tokens;
  sequence.finished = accepted.finished || sequence.generated >= sequence.request.max_new_tokens;
  if (!options_.prefix_cache) return;
  std::vector<BlockHash>& blocks = sequence.request.blocks;
  blocks.insert(blocks.end(), accepted.blocks.begin(), accepted.blocks.end());
  if (accepted.discard) {
    pages_.Forget(accepted.sequence);
    blocks.clear();
  }
  NamePages(sequence);
}

void Scheduler::NamePages(Sequence& sequence) {
  const auto full = std::min(sequence.committed / options_.pages.page_tokens,
                             static_cast<std::int64_t>(sequence.request.blocks.size()));
  for (; sequence.named_pages < full; ++sequence.named_pages) {
    pages_.Name(sequence.request.sequence, sequence.named_pages,
                sequence.request.blocks[static_cast<std::size_t>(sequence.named_pages)]);
  }
}

void Scheduler::RemoveIfDone(SequenceId id) {
  const Sequence& sequence = sequences_.at(id);
  if (!sequence.finished || sequence.in_flight > 0) return;
  if (!sequence.was_found) {
    --waiting_requests_;
    waiting_tokens_ -= sequence.request.prompt_tokens;
  }
  if (sequence.generated > 0) {
    mean_answer_ += (static_cast<double>(sequence.generated) - mean_answer_) / 16;
  }
  waiting_.erase({sequence.rank, id});
  pages_.Release(id);
  std::erase(running_, id);
  sequences_.erase(id);
}

StepCounts Scheduler::DecodeCounts() const {
  StepCounts counts;
  for (const SequenceId id : running_) {
    const Sequence& sequence = sequences_.at(id);
    if (sequence.planned + 1 >= sequence.known_tokens()) {
      AddRows(sequence.planned, 1, true, counts);
    }
  }
  return counts;
}

QueueLoad Scheduler::Load() const {
  QueueLoad load{.waiting = waiting_requests_, .waiting_tokens = waiting_tokens_};
  for (const SequenceId id : running_) {
    const Sequence& sequence = sequences_.at(id);
    load.running_prompt_tokens +=
        std::max<std::int64_t>(sequence.known_tokens() - 1 - sequence.planned, 0);
  }
  // Prompts in the longest chunks that fit beside those that decode.
  const StepCounts decodes = DecodeCounts();
  std::int64_t chunk = options_.step_tokens - decodes.rows;
  if (decodes.rows > 0) {
    chunk = std::max(StepBudget::kLeastChunk, budget_.Chunk(decodes, 0, chunk));
  }
  StepCounts step = decodes;
  AddRows(0, chunk, true, step);
  load.ns_per_prompt_token =
      static_cast<double>(budget_.Estimate(step).count()) / static_cast<double>(chunk);
  const auto running = static_cast<std::int64_t>(running_.size());
  StepCounts more = decodes;
  AddRows(0, 1 + StepBudget::kLeastChunk, true, more);
  if (running > 0 &&
      (running >= options_.max_sequences || !budget_.Fits(more) || waiting_requests_ > 0)) {
    load.ns_per_start = mean_answer_ * static_cast<double>(budget_.Estimate(decodes).count()) /
                        static_cast<double>(running);
  }
  return load;
}

SchedulerCounts Scheduler::Counts() const {
  SchedulerCounts counts = counts_;
  counts.waiting = static_cast<std::int64_t>(waiting_.size());
  counts.running = static_cast<std::int64_t>(running_.size());
  counts.free_pages = pages_.free_pages();
  counts.evictions = pages_.pool().evictions();
  return counts;
}

}  // namespace glint::sched
