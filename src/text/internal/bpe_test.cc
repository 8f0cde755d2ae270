// SPDX-License-Identifier: Apache-2.0
#include "text/internal/bpe.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "text/internal/vocabulary.h"

namespace glint::text {
namespace {

std::array<std::int32_t, 256> Bytes() {
  std::array<std::int32_t, 256> ids = {};
  for (int byte = 0; byte < 256; ++byte) ids[static_cast<std::size_t>(byte)] = byte;
  return ids;
}

// The definition: join the leftmost pair of the lowest rank, until none is left.
std::vector<std::int32_t> Reference(const MergeTable& merges, std::string_view piece) {
  std::vector<std::int32_t> ids;
  ids.reserve(piece.size());
  for (const char c : piece) ids.push_back(static_cast<unsigned char>(c));
  for (;;) {
    MergeTable::Merge best;
    std::size_t where = 0;
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
      const MergeTable::Merge merge = merges.Find(ids[i], ids[i + 1]);
      if (merge.id >= 0 && (best.id < 0 || merge.rank < best.rank)) {
        best = merge;
        where = i;
      }
    }
    if (best.id < 0) return ids;
    ids[where] = best.id;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(where) + 1);
  }
}

TEST(Bpe, EqualsTheDefinitionOnRandomMergesAndTexts) {
  const auto bytes = Bytes();
  std::mt19937 random(11);
  for (int table = 0; table < 100; ++table) {
    // Random tokens over two letters; every way to make one of them is a merge of random rank.
    Vocabulary vocabulary;
    std::vector<std::string> tokens = {"a", "b"};
    for (const std::string& token : tokens) {
      const std::int32_t id = static_cast<unsigned char>(token[0]);
      vocabulary.Add(id, token);
      vocabulary.Index(id);
    }
    std::int32_t next = 256;
    MergeTable merges;
    for (int tries = 0; tries < 20; ++tries) {
      const std::string left = tokens[random() % tokens.size()];
      const std::string right = tokens[random() % tokens.size()];
      std::int32_t id = vocabulary.Find(left + right);
      if (id == Vocabulary::kNoToken) {
        id = next++;
        vocabulary.Add(id, left + right);
        vocabulary.Index(id);
        tokens.push_back(left + right);
      }
      merges.Put(vocabulary.Find(left), vocabulary.Find(right),
                 {.rank = static_cast<std::uint32_t>(random() % 1000), .id = id});
    }
    BpeEncoder encoder(merges, bytes);
    for (int text = 0; text < 50; ++text) {
      std::string piece(1 + random() % 40, 'a');
      for (char& c : piece) c = static_cast<char>('a' + random() % 2);
      std::vector<std::int32_t> ids;
      encoder.Encode(piece, ids);
      EXPECT_EQ(ids, Reference(merges, piece)) << piece;
    }
  }
}

TEST(MergeTable, KeepsTheLastOfEqualPairsAndGrows) {
  MergeTable merges;
  EXPECT_EQ(merges.Find(0, 0).id, -1);
  for (std::int32_t i = 0; i < 5'000; ++i) {
    merges.Put(i, i + 1, {.rank = static_cast<std::uint32_t>(i), .id = i});
  }
  merges.Put(7, 8, {.rank = 9, .id = 70'000});
  EXPECT_EQ(merges.Find(7, 8).id, 70'000);
  EXPECT_EQ(merges.Find(4'999, 5'000).rank, 4'999U);
  EXPECT_EQ(merges.Find(8, 7).id, -1);
}

TEST(Vocabulary, FindsIndexedTokensOfEveryLength) {
  Vocabulary vocabulary;
  std::string text;
  for (std::int32_t id = 0; id < 300; ++id) {
    text += static_cast<char>('a' + id % 3);
    vocabulary.Add(2 * id, text);
    EXPECT_TRUE(vocabulary.Index(2 * id));
  }
  vocabulary.Add(1, "aa");
  EXPECT_EQ(vocabulary.Find("aa"), Vocabulary::kNoToken);
  EXPECT_TRUE(vocabulary.Index(1));
  vocabulary.Add(3, "ab");
  EXPECT_FALSE(vocabulary.Index(3));
  for (std::int32_t id = 0; id < 300; ++id) {
    EXPECT_EQ(vocabulary.Find(vocabulary.Bytes(2 * id)), 2 * id);
  }
  EXPECT_EQ(vocabulary.Find(""), Vocabulary::kNoToken);
  EXPECT_FALSE(vocabulary.Contains(5));
  EXPECT_EQ(vocabulary.size(), 599);
}

}  // namespace
}  // namespace glint::text
