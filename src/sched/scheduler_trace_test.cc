// SPDX-License-Identifier: Apache-2.0
// Random traces against a model of the cache: every slot of every page remembers which prefix it
// was written for, so a page that is lost, shared by mistake or written under another's eyes shows
// in the next row that reads it.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "sched/scheduler.h"

namespace glint::sched {
namespace {

constexpr std::int32_t kPages = 12;
constexpr std::int32_t kPageTokens = 3;
constexpr std::int64_t kStepTokens = 7;
constexpr std::int64_t kMaxSequences = 4;
constexpr std::int64_t kMaxPreemptions = 2;

std::uint64_t Mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15U)) * 0xff51afd7ed558ccdU;
  x = (x ^ (x >> 33U)) * 0xc4ceb9fe1a85ec53U;
  return x ^ (x >> 29U);
}

class RandomTrace {
 public:
  explicit RandomTrace(std::uint32_t seed)
      : random_(seed),
        ahead_(seed % 2 == 1),
        cached_(seed % 8 > 1),
        pages_(kPages, std::vector<std::uint64_t>(kPageTokens)),
        scheduler_(Scheduler::Create({.pages = {.page_count = kPages, .page_tokens = kPageTokens},
                                      .step_tokens = kStepTokens,
                                      .max_sequences = kMaxSequences,
                                      .max_waiting = 5,
                                      .max_waiting_tokens = 60,
                                      .max_preemptions = kMaxPreemptions,
                                      .prefix_cache = cached_})
                       .value()) {}

  // The counts at the end.
  SchedulerCounts Run(int turns) {
    for (int turn = 0; turn < turns; ++turn) {
      if (Below(3) == 0) Submit();
      if (Below(15) == 0 && !live_.empty()) Cancel(std::next(live_.begin(), Below(Live())));
      Turn();
      if (testing::Test::HasFailure()) return {};
    }
    // Nothing starves: all that is left ends in a bounded number of steps.
    for (int turn = 0; turn < 1000 && !(live_.empty() && open_.empty()); ++turn) Turn();
    EXPECT_TRUE(live_.empty());
    const SchedulerCounts counts = scheduler_.Counts();
    EXPECT_EQ(counts.running + counts.waiting, 0);
    EXPECT_EQ(counts.free_pages, kPages);
    EXPECT_LE(counts.preemptions, kMaxPreemptions * static_cast<std::int64_t>(next_id_));
    return counts;
  }

 private:
  struct Sequence {
    std::int64_t prompt_tokens = 0;
    std::int64_t max_new_tokens = 0;
    std::vector<std::uint64_t> chain;  // of each token and all before it, tenant included
    std::int64_t sampled = 0;          // tokens that exist, in flight or not
    std::int64_t known = 0;            // tokens committed
  };
  using Iterator = std::map<SequenceId, Sequence>::iterator;

  std::int64_t Below(std::int64_t limit) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(limit));
  }
  std::int64_t Live() const { return static_cast<std::int64_t>(live_.size()); }

  static BlockHash NameOf(std::uint64_t chain) { return {.high = ~chain, .low = chain}; }

  // Prompts of four families share a beginning; two tenants share nothing.
  void Submit() {
    const auto id = static_cast<SequenceId>(next_id_);
    Sequence sequence{.prompt_tokens = 1 + Below(16), .max_new_tokens = 1 + Below(14)};
    const auto family = static_cast<std::uint64_t>(Below(4));
    const std::int64_t shared = Below(16);
    std::uint64_t chain = static_cast<std::uint64_t>(Below(2));
    SequenceRequest request{id,
                            sequence.prompt_tokens,
                            sequence.max_new_tokens,
                            static_cast<std::int32_t>(Below(3)),
                            {}};
    for (std::int64_t i = 0; i < sequence.prompt_tokens; ++i) {
      chain = Mix(chain, i < shared ? family : 100 + next_id_);
      sequence.chain.push_back(chain);
      if ((i + 1) % kPageTokens == 0) request.blocks.push_back(NameOf(chain));
    }
    if (!scheduler_.Submit(now_, std::move(request)).ok()) return;
    ++next_id_;
    live_[id] = std::move(sequence);
  }

  void Cancel(Iterator sequence) {
    scheduler_.Cancel(sequence->first);
    ended_[sequence->first] = std::move(sequence->second);
    live_.erase(sequence);
  }

  void Turn() {
    now_ += std::chrono::seconds(1);
    const StepPlan plan = scheduler_.Plan(now_);
    EXPECT_LE(plan.RowCount(), kStepTokens);
    EXPECT_LE(scheduler_.Counts().running, kMaxSequences);
    if (!plan.empty()) {
      open_.push_back(plan);
      for (const RowRange& range : plan.micro_batches[0].ranges) Write(range);
    }
    CheckPages();
    // With nothing new to run there is nothing to be ahead of.
    while (open_.size() > (ahead_ && !plan.empty() ? 1U : 0U)) CommitOldest();
  }

  // The rows of a range, as the device would run them, in order of steps.
  void Write(const RowRange& range) {
    ASSERT_TRUE(live_.contains(range.sequence)) << "rows after the end";
    Sequence& sequence = live_[range.sequence];
    const std::span<const PageId> pages = scheduler_.Pages(range.sequence);
    const std::int64_t stop = range.first_position + range.count;
    ASSERT_LE(stop, static_cast<std::int64_t>(sequence.chain.size())) << "a token nobody made";
    ASSERT_LE(stop, static_cast<std::int64_t>(pages.size()) * kPageTokens);
    for (std::int64_t position = 0; position < stop; ++position) {
      const PageId page = pages[static_cast<std::size_t>(position / kPageTokens)];
      std::uint64_t& slot = pages_[static_cast<std::size_t>(Number(page))]
                                  [static_cast<std::size_t>(position % kPageTokens)];
      const std::uint64_t chain = sequence.chain[static_cast<std::size_t>(position)];
      if (position < range.first_position) {
        ASSERT_EQ(slot, chain) << "sequence " << Number(range.sequence) << " at " << position;
        continue;
      }
      ASSERT_EQ(scheduler_.page_table().pool().holders(page), 1) << "a shared page is written";
      ASSERT_FALSE(scheduler_.page_table().pool().named(page)) << "a page to be found is written";
      slot = chain;
    }
    if (!range.sample) return;
    ++sequence.sampled;
    ASSERT_LE(sequence.sampled, sequence.max_new_tokens);
    // What is sampled follows from what was read, as with greedy decoding.
    sequence.chain.push_back(Mix(sequence.chain.back(), sequence.chain.back() % 5));
  }

  void CheckPages() {
    std::set<PageId> held;
    for (const auto* sequences : {&live_, &ended_}) {
      for (const auto& [id, sequence] : *sequences) {
        const auto pages = scheduler_.Pages(id);
        held.insert(pages.begin(), pages.end());
      }
    }
    ASSERT_EQ(scheduler_.Counts().free_pages, kPages - static_cast<std::int32_t>(held.size()));
  }

  void CommitOldest() {
    const StepPlan plan = open_.front();
    open_.pop_front();
    StepResult result{.step = plan.step, .accepted = {}};
    std::vector<SequenceId> ended;
    const bool failed = Below(40) == 0;  // the step's rows were not computed
    for (const RowRange& range : plan.micro_batches[0].ranges) {
      Accepted accepted{.sequence = range.sequence};
      const auto found = live_.find(range.sequence);
      if (found == live_.end()) {
        accepted.finished = true;
      } else if (failed) {
        accepted.finished = accepted.discard = true;
        Spoil(range);
      } else if (range.sample) {
        accepted = OneToken(found->second, range.sequence);
      }
      if (found != live_.end() && accepted.finished) ended.push_back(range.sequence);
      result.accepted.push_back(std::move(accepted));
    }
    scheduler_.Commit(result);
    for (const SequenceId id : ended) {
      ended_[id] = std::move(live_[id]);
      live_.erase(id);
    }
  }

  Accepted OneToken(Sequence& sequence, SequenceId id) {
    Accepted accepted{.sequence = id, .tokens = 1, .finished = Below(12) == 0};
    ++sequence.known;
    const std::int64_t tokens = sequence.prompt_tokens + sequence.known;
    if (tokens % kPageTokens == 0) {
      accepted.blocks.push_back(NameOf(sequence.chain[static_cast<std::size_t>(tokens - 1)]));
    }
    if (sequence.known == sequence.max_new_tokens) accepted.finished = true;
    return accepted;
  }

  void Spoil(const RowRange& range) {
    const auto pages = scheduler_.Pages(range.sequence);
    for (std::int64_t i = 0; i < range.count; ++i) {
      const std::int64_t position = range.first_position + i;
      const PageId page = pages[static_cast<std::size_t>(position / kPageTokens)];
      pages_[static_cast<std::size_t>(Number(page))]
            [static_cast<std::size_t>(position % kPageTokens)] = 0;
    }
  }

  std::mt19937 random_;
  bool ahead_;
  bool cached_;
  std::vector<std::vector<std::uint64_t>> pages_;
  Scheduler scheduler_;
  std::chrono::nanoseconds now_{0};
  std::uint64_t next_id_ = 1;
  std::map<SequenceId, Sequence> live_;
  std::map<SequenceId, Sequence> ended_;
  std::deque<StepPlan> open_;
};

// Runs `count` traces; what they must have met, or the test tests nothing, is asked of their sum.
void RunTraces(std::uint32_t first, std::uint32_t count) {
  SchedulerCounts sum;
  for (std::uint32_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const SchedulerCounts counts = RandomTrace(seed).Run(60);
    if (testing::Test::HasFailure()) return;
    sum.preemptions += counts.preemptions;
    sum.prefix_hits += counts.prefix_hits;
    sum.evictions += counts.evictions;
  }
  EXPECT_GT(sum.preemptions, count / 10);
  EXPECT_GT(sum.prefix_hits, count / 2);
  EXPECT_GT(sum.evictions, count);
}

TEST(SchedulerTrace, RandomTracesKeepTheInvariants) { RunTraces(0, 4000); }

// ctest's sched_million_traces, label slow.
TEST(SchedulerTrace, DISABLED_MillionRandomTraces) { RunTraces(10'000, 1'000'000); }

}  // namespace
}  // namespace glint::sched
