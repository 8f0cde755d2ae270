// SPDX-License-Identifier: Apache-2.0
// For tests: a batch over a page pool whose pages are shuffled, rows and caches that own their
// memory (exactly, so that ASan sees one element too many), and numbers from a fixed stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "kernels/activation.h"
#include "kernels/batch_tables.h"
#include "tensor/weight_view.h"

namespace glint::kernels {

inline constexpr std::int64_t kTestPageTokens = 4;

// Uniform in [-1, 1), the same on every machine.
class BatchNumbers {
 public:
  explicit BatchNumbers(std::uint64_t seed) : state_(seed) {}
  double Next();

 private:
  std::uint64_t state_;
};

// Rows `padding` elements longer than their columns; what lies between must never change.
class TestRows {
 public:
  TestRows(tensor::DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t padding = 0);

  [[nodiscard]] Activation view() { return {bytes_.data(), dtype_, rows_, columns_, stride_}; }
  [[nodiscard]] double At(std::int64_t row, std::int64_t column) const;
  void Set(std::int64_t row, std::int64_t column, double value);  // rounds to the type
  void SetRow(std::int64_t row, std::initializer_list<double> values);
  void Fill(BatchNumbers& numbers);
  // A copy of the bytes, to see what an operation changed.
  [[nodiscard]] std::vector<std::byte> bytes() const { return bytes_; }
  [[nodiscard]] bool PaddingIsUntouched() const;

 private:
  tensor::DType dtype_;
  std::int64_t rows_;
  std::int64_t columns_;
  std::int64_t stride_;
  std::vector<std::byte> bytes_;
};

// A weight that owns its F32 elements, [rows, columns]; a vector has one column.
class BatchWeight {
 public:
  BatchWeight(std::int64_t rows, std::int64_t columns, std::vector<float> values);
  BatchWeight(std::int64_t rows, std::int64_t columns, BatchNumbers& numbers);
  [[nodiscard]] tensor::WeightView view() const;
  [[nodiscard]] double At(std::int64_t row, std::int64_t column) const;

 private:
  std::int64_t rows_;
  std::int64_t columns_;
  std::vector<float> values_;
};

// Sequences of up to `max_tokens` tokens each. Logical page p of sequence s is physical page
// PageOf(s, p), no two alike and none in order. Row positions and sequences are added one by one.
class TestBatch {
 public:
  TestBatch(std::int64_t sequences, std::int64_t max_tokens);

  void AddRow(std::int32_t sequence, std::int32_t position);
  void AddPadding() { AddRow(-1, 0); }
  // Valid until the next AddRow.
  [[nodiscard]] BatchTables tables() const;
  [[nodiscard]] std::int64_t row_count() const {
    return static_cast<std::int64_t>(row_sequence_.size());
  }
  [[nodiscard]] std::int64_t page_count() const { return sequences_ * max_pages_; }
  // The token slot of a position, worked out without CacheSlot.
  [[nodiscard]] std::int64_t Slot(std::int64_t sequence, std::int64_t position) const;

 private:
  std::int64_t sequences_;
  std::int64_t max_pages_;
  std::vector<std::int32_t> row_sequence_;
  std::vector<std::int32_t> row_position_;
  std::vector<std::int32_t> page_table_;
};

// A layer's cache for the pages of a batch.
class TestCache {
 public:
  TestCache(tensor::DType dtype, std::int64_t width, const TestBatch& batch);

  [[nodiscard]] CacheView view();
  [[nodiscard]] double At(std::int64_t slot, std::int64_t element) const;
  void Set(std::int64_t slot, std::int64_t element, double value);
  void SetToken(std::int64_t slot, std::initializer_list<double> values);
  void Fill(BatchNumbers& numbers);
  [[nodiscard]] std::vector<std::byte> bytes() { return rows_.bytes(); }

 private:
  tensor::DType dtype_;
  std::int64_t width_;
  std::int64_t slots_;
  TestRows rows_;
};

// Half a step of the type at `magnitude`, the most that one rounding to it adds.
double HalfStep(tensor::DType dtype, double magnitude);

}  // namespace glint::kernels
