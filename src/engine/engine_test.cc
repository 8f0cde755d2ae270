// SPDX-License-Identifier: Apache-2.0
#include "engine/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "engine/test_engine.h"
#include "model/forward.h"

namespace glint::engine {
namespace {

constexpr tensor::DType kF32 = tensor::DType::kF32;

constexpr std::int64_t kVocab = 96;

struct Machine : TestEngine {
  explicit Machine(device::CpuStreams streams = device::CpuStreams::kQueued)
      : TestEngine(kVocab, streams) {}
};

// Greedy tokens by the forward pass alone, one token after another.
std::vector<std::int32_t> SoloTokens(Machine& machine, const std::vector<std::int32_t>& prompt,
                                     std::int64_t count) {
  auto forward =
      model::Forward::Create(machine.model.spec, *machine.model.store, Machine::Operations(),
                             *machine.device,
                             {.cache = {.dtype = kF32, .page_count = 32, .page_tokens = 16},
                              .max_rows = 512,
                              .max_sequences = 1,
                              .max_logit_rows = 1})
          .value();
  std::vector<PageId> pages(32);
  for (std::size_t page = 0; page < pages.size(); ++page) {
    pages[page] = static_cast<PageId>(page);
  }
  std::vector<std::int32_t> all;
  std::vector<std::int32_t> next = prompt;
  std::int64_t position = 0;
  while (static_cast<std::int64_t>(all.size()) < count) {
    model::BatchSequence sequence{.first_position = position, .pages = pages, .logit_rows = 1};
    for (const std::int32_t id : next) sequence.tokens.push_back(model::TokenSlot::Id(id));
    position += static_cast<std::int64_t>(next.size());
    const auto result = forward->Run({.sequences = {sequence}}).value();
    const auto best = std::max_element(result.logits.begin(), result.logits.end());
    all.push_back(static_cast<std::int32_t>(best - result.logits.begin()));
    next = {all.back()};
  }
  return all;
}

// Collects the events of one request.
class Listener {
 public:
  GenerateSink Sink() {
    return [this](GenerateEvent event) {
      const std::lock_guard lock(mutex_);
      EXPECT_FALSE(last_.finish.has_value()) << "an event after the end";
      tokens_.insert(tokens_.end(), event.tokens.begin(), event.tokens.end());
      last_ = std::move(event);
      changed_.notify_all();
    };
  }
  GenerateEvent WaitForEnd() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return last_.finish.has_value(); });
    return last_;
  }
  void WaitForTokens(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return tokens_.size() >= count || last_.finish.has_value(); });
  }
  std::vector<std::int32_t> tokens() {
    const std::lock_guard lock(mutex_);
    return tokens_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::int32_t> tokens_;
  GenerateEvent last_;
};

std::vector<std::int32_t> RandomPrompt(std::mt19937& random, std::size_t length) {
  std::vector<std::int32_t> prompt(length);
  for (std::int32_t& token : prompt) token = static_cast<std::int32_t>(random() % kVocab);
  return prompt;
}

GenerateRequest Greedy(std::uint64_t id, std::vector<std::int32_t> prompt, std::int64_t tokens) {
  return {.request = static_cast<RequestId>(id),
          .prompt = std::move(prompt),
          .sampling = {.temperature = 0},
          .max_new_tokens = tokens};
}

void WaitUntilIdle(const Engine& engine) {
  while (engine.Counts().running + engine.Counts().waiting > 0) std::this_thread::yield();
}

TEST(Engine, EachOfManyRequestsGetsWhatItGetsAlone) {
  for (const auto streams : {device::CpuStreams::kQueued, device::CpuStreams::kImmediate}) {
    Machine machine(streams);
    const auto engine = machine.Start({.step_tokens = 48, .max_sequences = 5});
    std::mt19937 random(1);
    std::vector<std::vector<std::int32_t>> prompts(16);
    for (auto& prompt : prompts) prompt = RandomPrompt(random, 1 + random() % 120);
    std::vector<Listener> listeners(prompts.size());
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      const auto length = static_cast<std::int64_t>(1 + i * 2);
      ASSERT_TRUE(engine->Submit(Greedy(i, prompts[i], length), listeners[i].Sink()).ok());
    }
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      const GenerateEvent end = listeners[i].WaitForEnd();
      EXPECT_EQ(end.finish, FinishReason::kLength);
      EXPECT_EQ(listeners[i].tokens(),
                SoloTokens(machine, prompts[i], static_cast<std::int64_t>(1 + i * 2)));
    }
    WaitUntilIdle(*engine);
    const EngineCounts counts = engine->Counts();
    EXPECT_EQ(counts.free_pages, counts.page_count);
    EXPECT_EQ(counts.generated_tokens, 16 * 16);
  }
}

TEST(Engine, AnEndTokenEndsTheAnswerAndIsNotPartOfIt) {
  Machine machine;
  const auto engine = machine.Start();
  const std::vector<std::int32_t> solo = SoloTokens(machine, {5, 6, 7}, 20);
  const auto first = std::find(solo.begin(), solo.end(), solo[6]) - solo.begin();
  GenerateRequest request = Greedy(1, {5, 6, 7}, 20);
  request.end_tokens = {solo[6], 95};
  Listener listener;
  ASSERT_TRUE(engine->Submit(std::move(request), listener.Sink()).ok());
  const GenerateEvent end = listener.WaitForEnd();
  EXPECT_EQ(end.finish, FinishReason::kStop);
  EXPECT_EQ(end.end_token, solo[6]);
  EXPECT_EQ(end.generated_tokens, first + 1);
  EXPECT_EQ(listener.tokens(), std::vector<std::int32_t>(solo.begin(), solo.begin() + first));
  EXPECT_LE(end.times.arrived, end.times.scheduled);
  EXPECT_LE(end.times.scheduled, end.times.first_token);
  EXPECT_LE(end.times.first_token, end.times.finished);
}

TEST(Engine, SameSeedSameTokensWhateverRunsBeside) {
  Machine machine;
  const auto engine = machine.Start({.max_sequences = 4});
  std::mt19937 random(3);
  GenerateRequest request = Greedy(0, RandomPrompt(random, 30), 24);
  request.sampling = {.temperature = 1.0F, .top_p = 0.9F, .top_k = 40, .seed = 11};
  std::vector<std::vector<std::int32_t>> answers;
  for (std::uint64_t round = 0; round < 3; ++round) {
    std::vector<Listener> others(round);
    for (std::uint64_t i = 0; i < round; ++i) {
      ASSERT_TRUE(
          engine
              ->Submit(Greedy(100 + round * 10 + i, RandomPrompt(random, 50), 30), others[i].Sink())
              .ok());
    }
    Listener listener;
    request.request = static_cast<RequestId>(round);
    ASSERT_TRUE(engine->Submit(request, listener.Sink()).ok());
    (void)listener.WaitForEnd();
    answers.push_back(listener.tokens());
    for (Listener& other : others) (void)other.WaitForEnd();
  }
  EXPECT_EQ(answers[0], answers[1]);
  EXPECT_EQ(answers[0], answers[2]);
  Listener listener;
  request.request = static_cast<RequestId>(50);
  request.sampling.seed = 12;
  ASSERT_TRUE(engine->Submit(request, listener.Sink()).ok());
  (void)listener.WaitForEnd();
  EXPECT_NE(answers[0], listener.tokens());
}

TEST(Engine, CancelGivesThePagesBackInEveryPhase) {
  Machine machine;
  const auto engine = machine.Start({.cache_tokens = 1024, .step_tokens = 16, .max_sequences = 3});
  std::mt19937 random(5);
  std::vector<Listener> listeners(40);
  for (std::uint64_t i = 0; i < listeners.size(); ++i) {
    ASSERT_TRUE(
        engine->Submit(Greedy(i, RandomPrompt(random, 200), 100), listeners[i].Sink()).ok());
    if (i % 3 == 0) listeners[i].WaitForTokens(random() % 4);
    engine->Cancel(static_cast<RequestId>(i));
  }
  for (Listener& listener : listeners) {
    EXPECT_EQ(listener.WaitForEnd().finish, FinishReason::kCancelled);
  }
  WaitUntilIdle(*engine);
  EXPECT_EQ(engine->Counts().free_pages, engine->Counts().page_count);
}

TEST(Engine, TheEndOfTheEngineEndsEveryRequest) {
  Machine machine;
  std::vector<Listener> listeners(8);
  {
    const auto engine = machine.Start({.max_sequences = 2});
    for (std::uint64_t i = 0; i < listeners.size(); ++i) {
      ASSERT_TRUE(engine->Submit(Greedy(i, {1, 2, 3}, 400), listeners[i].Sink()).ok());
    }
    listeners[0].WaitForTokens(2);
  }
  for (Listener& listener : listeners) {
    EXPECT_EQ(listener.WaitForEnd().finish, FinishReason::kCancelled);
  }
}

TEST(Engine, AModelWhoseLogitsAreNoNumbersFailsThatRequest) {
  Machine machine;
  auto lease = machine.model.store->Acquire({}, *machine.device->CreateStream()).value();
  const tensor::WeightView& table = lease.Get(model::WeightSlot::kEmbedding);
  tensor::MutableTensorView numbers{table.data.dtype, table.data.shape,
                                    const_cast<std::byte*>(table.data.data)};
  for (std::int64_t i = 0; i < table.columns; ++i) numbers.Set(9 * table.columns + i, NAN);
  const auto engine = machine.Start();
  Listener bad;
  Listener good;
  ASSERT_TRUE(engine->Submit(Greedy(1, {4, 9}, 50), bad.Sink()).ok());
  ASSERT_TRUE(engine->Submit(Greedy(2, {4, 5}, 1), good.Sink()).ok());
  EXPECT_EQ(bad.WaitForEnd().finish, FinishReason::kError);
  EXPECT_EQ(good.WaitForEnd().finish, FinishReason::kLength);
  EXPECT_EQ(engine->Counts().corrupted_requests, 1);
}

TEST(Engine, RefusesWhatItCannotRunAndNamesTheLimit) {
  Machine machine;
  Listener listener;
  std::vector<Listener> many(20);  // they outlive the engine, which tells them of its end
  const auto engine = machine.Start({.max_context = 64, .max_sequences = 1, .max_waiting = 2});
  const auto message = [&](GenerateRequest request) {
    const Status status = engine->Submit(std::move(request), listener.Sink());
    return status.ok() ? std::string("accepted") : status.error().message;
  };
  EXPECT_EQ(message(Greedy(1, {}, 1)), "the prompt has no tokens");
  EXPECT_EQ(message(Greedy(1, {1}, 0)), "new tokens are 0, must be above 0");
  EXPECT_EQ(message(Greedy(1, {1, 96}, 1)), "a token is 96, must be 0 to 95");
  EXPECT_EQ(message(Greedy(1, {1, 2, 3}, 62)),
            "the prompt has 3 tokens and 62 more were asked for, the context holds 64");
  std::size_t refused = 0;
  for (std::uint64_t i = 0; i < many.size(); ++i) {
    const Status status = engine->Submit(Greedy(10 + i, {1, 2, 3}, 60), many[i].Sink());
    if (status.ok()) continue;
    EXPECT_EQ(status.error().code, ErrorCode::kResourceExhausted);
    ++refused;
  }
  EXPECT_GT(refused, 0U);
}

TEST(Engine, WithoutAQueueWhatCanStartAtOnceStillRuns) {
  Machine machine;
  Listener listener;
  const auto engine = machine.Start({.max_sequences = 1, .max_waiting = 0});
  ASSERT_TRUE(engine->Submit(Greedy(1, {1, 2}, 3), listener.Sink()).ok());
  EXPECT_EQ(listener.WaitForEnd().finish, FinishReason::kLength);
  // Also right after another one, whose last step may still be under way.
  for (std::uint64_t i = 2; i < 50; ++i) {
    Listener next;
    GenerateRequest request = Greedy(i, {1, 2}, 8);
    for (std::int32_t token = 0; token < kVocab; ++token) request.end_tokens.push_back(token);
    ASSERT_TRUE(engine->Submit(std::move(request), next.Sink()).ok());
    EXPECT_EQ(next.WaitForEnd().finish, FinishReason::kStop);
  }
}

// Pages for three answers, six of them at once.
TEST(Engine, PreemptedRequestsGetTheirSoloTokens) {
  Machine machine;
  for (const bool prefix_cache : {true, false}) {
    const auto engine = machine.Start(
        {.cache_tokens = 256, .step_tokens = 48, .max_sequences = 6, .prefix_cache = prefix_cache});
    std::mt19937 random(9);
    std::vector<std::vector<std::int32_t>> prompts(12);
    for (auto& prompt : prompts) prompt = RandomPrompt(random, 10 + random() % 12);
    std::vector<Listener> listeners(prompts.size());
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      ASSERT_TRUE(engine->Submit(Greedy(i, prompts[i], 60), listeners[i].Sink()).ok());
    }
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      EXPECT_EQ(listeners[i].WaitForEnd().finish, FinishReason::kLength);
      EXPECT_EQ(listeners[i].tokens(), SoloTokens(machine, prompts[i], 60));
    }
    WaitUntilIdle(*engine);
    const EngineCounts counts = engine->Counts();
    EXPECT_GT(counts.preemptions, 0);
    EXPECT_EQ(counts.free_pages, counts.page_count);
    EXPECT_EQ(counts.generated_tokens, 12 * 60);
    std::int64_t prompt_tokens = 0;
    for (const auto& prompt : prompts) prompt_tokens += static_cast<std::int64_t>(prompt.size());
    EXPECT_EQ(counts.prompt_tokens, prompt_tokens) << "what runs again counts once";
  }
}

// Field reports F1 and E7: the second turn of a chat finds all full pages of the first, prompt and
// answer, and its tokens are those of an engine that has no cache.
TEST(Engine, F1E7AFoundPrefixChangesNoToken) {
  Machine machine;
  std::mt19937 random(11);
  for (const std::int64_t page_tokens : {1, 4, 16}) {
    const auto engine = machine.Start({.page_tokens = page_tokens, .step_tokens = 64});
    std::vector<std::int32_t> chat = RandomPrompt(random, 203);
    std::int64_t expected = 0;
    for (std::uint64_t turn = 0; turn < 3; ++turn) {
      Listener listener;
      ASSERT_TRUE(engine->Submit(Greedy(turn, chat, 30), listener.Sink()).ok());
      EXPECT_EQ(listener.WaitForEnd().cached_tokens, expected);
      EXPECT_EQ(listener.tokens(), SoloTokens(machine, chat, 30));
      const std::vector<std::int32_t> answer = listener.tokens();
      chat.insert(chat.end(), answer.begin(), answer.end());
      // The last token of an answer is never fed back, so it is in no page.
      expected = (static_cast<std::int64_t>(chat.size()) - 1) / page_tokens * page_tokens;
      const std::vector<std::int32_t> question = RandomPrompt(random, 17);
      chat.insert(chat.end(), question.begin(), question.end());
    }
    const EngineCounts counts = engine->Counts();
    EXPECT_EQ(counts.prefix_queries, 203 + 250 + 297);
    EXPECT_EQ(counts.prefix_hits + counts.prompt_tokens, counts.prefix_queries);
  }
}

TEST(Engine, PrefixesAreSharedWithinOneSaltAlone) {
  Machine machine;
  const auto engine = machine.Start();
  std::uint64_t id = 0;
  const auto cached = [&](const std::string& salt) {
    Listener listener;
    GenerateRequest request = Greedy(id++, std::vector<std::int32_t>(40, 7), 2);
    request.cache_salt = salt;
    EXPECT_TRUE(engine->Submit(std::move(request), listener.Sink()).ok());
    return listener.WaitForEnd().cached_tokens;
  };
  EXPECT_EQ(cached(""), 0);
  EXPECT_EQ(cached("a"), 0);
  EXPECT_EQ(cached("b"), 0);
  EXPECT_EQ(cached("a"), 32);
  EXPECT_EQ(cached(""), 32);
}

TEST(Engine, H5TheQueueIsBoundedByPromptTokens) {
  Machine machine;
  std::vector<Listener> many(6);
  const auto engine = machine.Start({.max_sequences = 1, .max_waiting_tokens = 100});
  std::size_t refused = 0;
  for (std::uint64_t i = 0; i < many.size(); ++i) {
    const Status status =
        engine->Submit(Greedy(i, std::vector<std::int32_t>(60, 3), 400), many[i].Sink());
    if (status.ok()) continue;
    ++refused;
    EXPECT_EQ(status.error().message, "the queue would hold 120 prompt tokens, its limit is 100");
  }
  EXPECT_GE(refused, 4U);  // one runs, one waits
  EXPECT_LT(refused, many.size());
}

// Field report H1: a stalled engine says so at once; a busy one does not (H2), and an idle one
// neither.
TEST(Engine, H1H2AStallShowsAndIsLoggedOnceABusyEngineIsNotStalled) {
  Machine machine;
  const auto engine = machine.Start({.stall_limit = std::chrono::milliseconds(50)});
  Listener busy;
  ASSERT_TRUE(engine->Submit(Greedy(1, {1, 2, 3}, 400), busy.Sink()).ok());
  EXPECT_EQ(busy.WaitForEnd().finish, FinishReason::kLength);
  EXPECT_FALSE(engine->Counts().stalled());
  const std::int64_t before = engine->Counts().stalls;  // a machine that is busy elsewhere
  testing::internal::CaptureStderr();
  std::atomic<bool> hang = true;
  Listener listener;
  const GenerateSink sink = listener.Sink();
  ASSERT_TRUE(engine
                  ->Submit(Greedy(2, {1, 2, 3}, 4),
                           [&](GenerateEvent event) {
                             while (hang) std::this_thread::yield();
                             sink(std::move(event));
                           })
                  .ok());
  while (engine->Counts().stalls == before) std::this_thread::yield();
  EXPECT_TRUE(engine->Counts().stalled());
  hang = false;
  (void)listener.WaitForEnd();
  EXPECT_FALSE(engine->Counts().stalled());
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("no step was completed for 0."), std::string::npos) << log;
  EXPECT_NE(log.find("1 requests run, 0 wait"), std::string::npos) << log;
}

// A target that no batch can keep: one at a time, and whoever would wait too long is refused.
TEST(Engine, AdmissionStopsBeforeATargetBreaks) {
  Machine machine;
  std::vector<Listener> listeners(40);
  const auto engine = machine.Start({.max_sequences = 16, .slo_tpot = std::chrono::nanoseconds(1)});
  Listener first;
  ASSERT_TRUE(engine->Submit(Greedy(100, {1, 2}, 30), first.Sink()).ok());
  EXPECT_EQ(first.WaitForEnd().finish, FinishReason::kLength);  // the cost is known from here on
  std::int64_t most = 0;
  for (std::uint64_t i = 0; i < listeners.size(); ++i) {
    ASSERT_TRUE(engine->Submit(Greedy(i, {1, 2, 3}, 20), listeners[i].Sink()).ok());
  }
  // Not until nothing runs or waits: the engine's thread may not have looked at the first one yet.
  const std::int64_t all = 30 + 20 * std::ssize(listeners);
  for (EngineCounts counts = engine->Counts(); counts.generated_tokens < all;
       counts = engine->Counts()) {
    most = std::max(most, counts.running);
  }
  EXPECT_EQ(most, 1);
  for (Listener& listener : listeners) {
    EXPECT_EQ(listener.WaitForEnd().finish, FinishReason::kLength);
  }
}

TEST(Engine, ARequestWhoseFirstTokenWouldBeLateIsRefusedAtOnce) {
  Machine machine;
  std::vector<Listener> listeners(200);
  const auto engine =
      machine.Start({.max_sequences = 2, .slo_ttft = std::chrono::milliseconds(40)});
  Listener first;
  ASSERT_TRUE(engine->Submit(Greedy(1000, {1, 2}, 50), first.Sink()).ok());
  (void)first.WaitForEnd();
  std::size_t refused = 0;
  for (std::uint64_t i = 0; i < listeners.size(); ++i) {
    const Status status =
        engine->Submit(Greedy(i, std::vector<std::int32_t>(400, 5), 100), listeners[i].Sink());
    if (status.ok()) continue;
    ++refused;
    EXPECT_EQ(status.error().code, ErrorCode::kResourceExhausted);
    EXPECT_NE(status.error().message.find("the target is 40 ms"), std::string::npos);
  }
  EXPECT_GT(refused, 100U);
}

TEST(Engine, AnIdleEngineTakesARequestHoweverLateItsFirstTokenWouldBe) {
  Machine machine;
  const auto engine = machine.Start({.slo_ttft = std::chrono::nanoseconds(1)});
  for (std::uint64_t i = 0; i < 5; ++i) {
    Listener listener;
    ASSERT_TRUE(engine->Submit(Greedy(i, {1, 2}, 10), listener.Sink()).ok());
    (void)listener.WaitForEnd();
  }
}

TEST(Engine, OptionsOutOfRangeAreNamed) {
  Machine machine;
  const auto message = [&](const EngineOptions& options) {
    const auto engine =
        Engine::Create(machine.model, Machine::Operations(), *machine.device, options);
    return engine.ok() ? std::string("accepted") : engine.error().message;
  };
  EXPECT_EQ(message({.max_context = 513}), "context is 513, must be 2 to 512");
  EXPECT_EQ(message({.page_tokens = 0}), "tokens per page is 0, must be 1 to 4096");
  EXPECT_EQ(message({.max_sequences = 0}), "sequences at once is 0, must be 1 to 65536");
  EXPECT_EQ(message({.step_tokens = 4, .max_sequences = 5}),
            "sequences at once is 5, must be 1 to 4, the tokens per step");
}

}  // namespace
}  // namespace glint::engine
