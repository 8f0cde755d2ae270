// SPDX-License-Identifier: Apache-2.0
#include "kernels/verify_draft/verify_draft.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/verify_draft/verify_draft_reference.h"

namespace glint::kernels {
namespace {

using Tokens = std::vector<std::int32_t>;

struct Outcome {
  Tokens accepted;
  Tokens emitted;
};

Outcome Verify(std::int64_t max_draft, const Tokens& draft, const Tokens& lengths,
               const Tokens& sampled, const Tokens& first_row = {}) {
  const auto count = static_cast<std::int64_t>(lengths.size());
  Outcome outcome = {Tokens(count, 77), Tokens(count * (max_draft + 1), 77)};
  VerifyDraftArgs args;
  args.sequence_count = count;
  args.max_draft = max_draft;
  args.draft = draft.empty() ? nullptr : draft.data();
  args.draft_length = lengths.data();
  args.sampled = sampled.data();
  args.first_row = first_row.empty() ? nullptr : first_row.data();
  args.accepted = outcome.accepted.data();
  args.emitted = outcome.emitted.data();
  EXPECT_TRUE(CheckVerifyDraftArgs(args).ok());
  VerifyDraftReference(args);
  return outcome;
}

TEST(VerifyDraft, AcceptsTheLongestMatchingPrefixAndOneMore) {
  const Outcome outcome = Verify(3, {5, 6, 7, 5, 6, 7, 5, 6, 7, 5, 6, 7}, {3, 3, 3, 3},
                                 {5, 6, 7, 8, 5, 6, 9, 8, 9, 6, 7, 8, 5, 9, 7, 8});
  EXPECT_EQ(outcome.accepted, (Tokens{3, 2, 0, 1}));
  EXPECT_EQ(outcome.emitted, (Tokens{5, 6, 7, 8, 5, 6, 9, -1, 9, -1, -1, -1, 5, 9, -1, -1}));
}

TEST(VerifyDraft, DraftsBeyondTheLengthAreNotRead) {
  const Outcome outcome = Verify(2, {5, 6, 5, 6}, {1, 0}, {5, 6, 7, 5, 6, 7});
  EXPECT_EQ(outcome.accepted, (Tokens{1, 0}));
  EXPECT_EQ(outcome.emitted, (Tokens{5, 6, -1, 5, -1, -1}));
}

TEST(VerifyDraft, WithoutDraftsEachSequenceGainsItsPick) {
  const Outcome outcome = Verify(0, {}, {0, 0}, {4, 9});
  EXPECT_EQ(outcome.accepted, (Tokens{0, 0}));
  EXPECT_EQ(outcome.emitted, (Tokens{4, 9}));
}

TEST(VerifyDraft, PaddingSequenceIsNotWritten) {
  const Outcome outcome = Verify(1, {5, 5}, {-1, 1}, {5, 6, 5, 6});
  EXPECT_EQ(outcome.accepted, (Tokens{77, 1}));
  EXPECT_EQ(outcome.emitted, (Tokens{77, 77, 5, 6}));
}

TEST(VerifyDraft, RowsOfASequenceBeginWhereTheTableSays) {
  // Sequence 0 has rows 3 ... 4 (one draft), sequence 1 rows 0 ... 2 (two drafts).
  const Outcome outcome = Verify(2, {5, 0, 6, 7}, {1, 2}, {6, 7, 8, 5, 9}, {3, 0});
  EXPECT_EQ(outcome.accepted, (Tokens{1, 2}));
  EXPECT_EQ(outcome.emitted, (Tokens{5, 9, -1, 6, 7, 8}));
}

TEST(VerifyDraft, AFailedPickIsNeverAccepted) {
  const Outcome outcome = Verify(2, {5, -1}, {2}, {5, -1, 7});
  EXPECT_EQ(outcome.accepted, (Tokens{1}));
  EXPECT_EQ(outcome.emitted, (Tokens{5, -1, -1}));
}

TEST(VerifyDraft, ALengthBeyondTheLimitIsTheLimit) {
  const Outcome outcome = Verify(1, {5}, {9}, {5, 6});
  EXPECT_EQ(outcome.accepted, (Tokens{1}));
  EXPECT_EQ(outcome.emitted, (Tokens{5, 6}));
}

TEST(VerifyDraft, ChecksNameTheArgument) {
  VerifyDraftArgs args;
  EXPECT_TRUE(CheckVerifyDraftArgs(args).ok());
  args.max_draft = -1;
  EXPECT_EQ(CheckVerifyDraftArgs(args).error().message,
            "verify_draft: max_draft is -1, must be >= 0");
  args.max_draft = 2;
  args.sequence_count = 1;
  EXPECT_EQ(CheckVerifyDraftArgs(args).error().message, "verify_draft: draft is null");
}

}  // namespace
}  // namespace glint::kernels
