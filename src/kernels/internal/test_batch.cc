// SPDX-License-Identifier: Apache-2.0
#include "kernels/internal/test_batch.h"

#include <cmath>
#include <cstring>
#include <utility>

namespace glint::kernels {

constexpr double kUntouched = 99;

double BatchNumbers::Next() {
  state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;  // Knuth, MMIX
  return static_cast<double>(state_ >> 32) * 0x1p-31 - 1;
}

TestRows::TestRows(tensor::DType dtype, std::int64_t rows, std::int64_t columns,
                   std::int64_t padding)
    : dtype_(dtype),
      rows_(rows),
      columns_(columns),
      stride_(columns + padding),
      bytes_(rows * stride_ * tensor::DTypeBytes(dtype)) {
  for (std::int64_t i = 0; i < rows * stride_; ++i) {
    tensor::StoreElement(dtype, bytes_.data(), i, kUntouched);
  }
}

double TestRows::At(std::int64_t row, std::int64_t column) const {
  return tensor::LoadElement(dtype_, bytes_.data(), row * stride_ + column);
}

void TestRows::Set(std::int64_t row, std::int64_t column, double value) {
  tensor::StoreElement(dtype_, bytes_.data(), row * stride_ + column, value);
}

void TestRows::SetRow(std::int64_t row, std::initializer_list<double> values) {
  std::int64_t column = 0;
  for (const double value : values) Set(row, column++, value);
}

void TestRows::Fill(BatchNumbers& numbers) {
  for (std::int64_t row = 0; row < rows_; ++row) {
    for (std::int64_t column = 0; column < columns_; ++column) Set(row, column, numbers.Next());
  }
}

bool TestRows::PaddingIsUntouched() const {
  for (std::int64_t row = 0; row < rows_; ++row) {
    for (std::int64_t column = columns_; column < stride_; ++column) {
      if (At(row, column) != kUntouched) return false;
    }
  }
  return true;
}

BatchWeight::BatchWeight(std::int64_t rows, std::int64_t columns, std::vector<float> values)
    : rows_(rows), columns_(columns), values_(std::move(values)) {}

BatchWeight::BatchWeight(std::int64_t rows, std::int64_t columns, BatchNumbers& numbers)
    : rows_(rows), columns_(columns), values_(rows * columns) {
  for (float& value : values_) value = static_cast<float>(numbers.Next());
}

tensor::WeightView BatchWeight::view() const {
  tensor::WeightView view;
  view.rows = rows_;
  view.columns = columns_;
  view.data = {
      tensor::DType::kF32, {rows_, columns_}, reinterpret_cast<const std::byte*>(values_.data())};
  return view;
}

double BatchWeight::At(std::int64_t row, std::int64_t column) const {
  return values_[row * columns_ + column];
}

TestBatch::TestBatch(std::int64_t sequences, std::int64_t max_tokens)
    : sequences_(sequences), max_pages_((max_tokens + kTestPageTokens - 1) / kTestPageTokens) {
  // Backwards and with the sequences interleaved: neighbours in a sequence never touch in memory
  // when there is more than one.
  page_table_.resize(page_count());
  for (std::int64_t sequence = 0; sequence < sequences; ++sequence) {
    for (std::int64_t page = 0; page < max_pages_; ++page) {
      page_table_[sequence * max_pages_ + page] =
          static_cast<std::int32_t>(page_count() - 1 - page * sequences - sequence);
    }
  }
}

void TestBatch::AddRow(std::int32_t sequence, std::int32_t position) {
  row_sequence_.push_back(sequence);
  row_position_.push_back(position);
}

BatchTables TestBatch::tables() const {
  BatchTables tables;
  tables.row_count = row_count();
  tables.sequence_count = sequences_;
  tables.row_sequence = row_sequence_.data();
  tables.row_position = row_position_.data();
  tables.page_table = page_table_.data();
  tables.max_pages = max_pages_;
  tables.page_tokens = kTestPageTokens;
  return tables;
}

std::int64_t TestBatch::Slot(std::int64_t sequence, std::int64_t position) const {
  const std::int64_t page = page_count() - 1 - position / kTestPageTokens * sequences_ - sequence;
  return page * kTestPageTokens + position % kTestPageTokens;
}

TestCache::TestCache(tensor::DType dtype, std::int64_t width, const TestBatch& batch)
    : dtype_(dtype),
      width_(width),
      slots_(batch.page_count() * kTestPageTokens),
      rows_(dtype, slots_, width) {}

CacheView TestCache::view() { return {rows_.view().data, dtype_, width_, kTestPageTokens}; }

double TestCache::At(std::int64_t slot, std::int64_t element) const {
  return rows_.At(slot, element);
}

void TestCache::Set(std::int64_t slot, std::int64_t element, double value) {
  rows_.Set(slot, element, value);
}

void TestCache::SetToken(std::int64_t slot, std::initializer_list<double> values) {
  rows_.SetRow(slot, values);
}

void TestCache::Fill(BatchNumbers& numbers) { rows_.Fill(numbers); }

double HalfStep(tensor::DType dtype, double magnitude) {
  const int bits = dtype == tensor::DType::kBF16 ? 8 : 24;
  return std::ldexp(std::abs(magnitude), -bits);
}

}  // namespace glint::kernels
