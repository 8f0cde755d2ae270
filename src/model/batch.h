// SPDX-License-Identifier: Apache-2.0
// One step's rows as the host describes them to the model.
//
// Seam: design.md section 3, "Step ahead": a row's token is an id, or a reference to a sample that
// the step before this one is still computing on the device.
#pragma once

#include <cstdint>
#include <vector>

#include "base/check.h"
#include "base/ids.h"

namespace glint::model {

// 32 bits as the embedding kernel reads them: an id as it is, a reference as -1 - index.
class TokenSlot {
 public:
  static TokenSlot Id(std::int32_t id) {
    GLINT_CHECK(id >= 0, "a token id");
    return TokenSlot(id);
  }
  // Sample `index` of the step in flight: the index-th row that it samples.
  static TokenSlot SampleInFlight(std::int32_t index) {
    GLINT_CHECK(index >= 0, "a sample's index");
    return TokenSlot(-1 - index);
  }
  [[nodiscard]] bool is_id() const { return bits_ >= 0; }
  [[nodiscard]] std::int32_t id() const {
    GLINT_CHECK(is_id(), "a slot that holds an id");
    return bits_;
  }
  [[nodiscard]] std::int32_t sample_index() const {
    GLINT_CHECK(!is_id(), "a slot that refers to a sample");
    return -1 - bits_;
  }
  [[nodiscard]] std::int32_t bits() const { return bits_; }
  friend bool operator==(const TokenSlot&, const TokenSlot&) = default;

 private:
  explicit TokenSlot(std::int32_t bits) : bits_(bits) {}
  std::int32_t bits_;
};

// Rows of one sequence, consecutive positions. `pages` are all pages of the sequence, in order.
struct BatchSequence {
  std::int64_t first_position = 0;
  std::vector<TokenSlot> tokens;
  std::vector<PageId> pages;
  std::int64_t logit_rows = 0;  // of the last so many rows
};

// Tokens that a step still in flight samples, in device memory: what TokenSlot::SampleInFlight
// refers to. They must stay until the step that reads them is done.
struct SamplesInFlight {
  const std::int32_t* tokens = nullptr;
  std::int64_t count = 0;
};

struct Batch {
  std::vector<BatchSequence> sequences;
  SamplesInFlight samples;

  [[nodiscard]] std::int64_t RowCount() const {
    std::int64_t rows = 0;
    for (const BatchSequence& sequence : sequences) {
      rows += static_cast<std::int64_t>(sequence.tokens.size());
    }
    return rows;
  }
};

}  // namespace glint::model
