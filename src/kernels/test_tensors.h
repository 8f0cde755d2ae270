// SPDX-License-Identifier: Apache-2.0
// Activations and weights that own their memory, for tests of kernels. Values come from a fixed
// generator, so that a test sees the same numbers everywhere.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/activation.h"
#include "tensor/block_format.h"
#include "tensor/dtype.h"
#include "tensor/interleaved.h"
#include "tensor/weight_view.h"

namespace glint::kernels {

// In [-1, 1), in steps of 2^-11: exact in F32, rounded in BF16.
class TestNumbers {
 public:
  explicit TestNumbers(std::uint32_t seed) : generator_(seed) {}
  double Next() { return static_cast<double>(generator_() % 4096) / 2048.0 - 1.0; }
  std::uint32_t Bits() { return static_cast<std::uint32_t>(generator_()); }

 private:
  std::mt19937 generator_;
};

// [rows, columns] with `gap` elements after each row, which must keep their value.
class TestActivation {
 public:
  TestActivation(tensor::DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t gap = 0)
      : bytes_(static_cast<std::size_t>(rows * (columns + gap) * tensor::DTypeBytes(dtype)),
               kUntouched),
        view_{bytes_.data(), dtype, rows, columns, columns + gap} {}
  TestActivation(const TestActivation&) = delete;
  TestActivation& operator=(const TestActivation&) = delete;

  [[nodiscard]] const Activation& view() const { return view_; }
  [[nodiscard]] double At(std::int64_t row, std::int64_t column) const {
    return tensor::LoadElement(view_.dtype, view_.data, row * view_.stride + column);
  }
  void Set(std::int64_t row, std::int64_t column, double value) {
    tensor::StoreElement(view_.dtype, view_.data, row * view_.stride + column, value);
  }
  void FillRandom(std::uint32_t seed, double size = 1) {
    TestNumbers numbers(seed);
    for (std::int64_t row = 0; row < view_.rows; ++row) {
      for (std::int64_t column = 0; column < view_.columns; ++column) {
        Set(row, column, numbers.Next() * size);
      }
    }
  }
  // True when no byte of [first, last) of a row was written since construction.
  [[nodiscard]] bool IsUntouched(std::int64_t row, std::int64_t first, std::int64_t last) const {
    const std::int64_t size = tensor::DTypeBytes(view_.dtype);
    for (std::int64_t i = (row * view_.stride + first) * size;
         i < (row * view_.stride + last) * size; ++i) {
      if (bytes_[static_cast<std::size_t>(i)] != kUntouched) return false;
    }
    return true;
  }
  [[nodiscard]] bool GapsAreUntouched() const {
    for (std::int64_t row = 0; row < view_.rows; ++row) {
      if (!IsUntouched(row, view_.columns, view_.stride)) return false;
    }
    return true;
  }

 private:
  static constexpr std::byte kUntouched{0x5A};
  std::vector<std::byte> bytes_;
  Activation view_;
};

class TestQuantized {
 public:
  TestQuantized(tensor::DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t group)
      : values_(static_cast<std::size_t>(rows * columns)),
        scales_(static_cast<std::size_t>(rows * (columns / group))),
        sums_(scales_.size()),
        view_{values_.data(), scales_.data(), dtype, rows, columns, group, sums_.data()} {}
  TestQuantized(const TestQuantized&) = delete;
  TestQuantized& operator=(const TestQuantized&) = delete;

  [[nodiscard]] const QuantizedActivation& view() const { return view_; }
  // The stored number, before its scale.
  [[nodiscard]] double Code(std::int64_t row, std::int64_t column) const {
    return tensor::LoadElement(view_.dtype, values_.data(), row * view_.columns + column);
  }
  [[nodiscard]] float Scale(std::int64_t row, std::int64_t group) const {
    return scales_[static_cast<std::size_t>(row * (view_.columns / view_.group) + group)];
  }
  [[nodiscard]] double At(std::int64_t row, std::int64_t column) const {
    return Code(row, column) * static_cast<double>(Scale(row, column / view_.group));
  }
  // Any code of the dtype that is a number, and scales between 1/64 and 1/32.
  void FillRandom(std::uint32_t seed) {
    TestNumbers numbers(seed);
    for (std::byte& value : values_) {
      const auto bits = static_cast<std::uint8_t>(numbers.Bits() & 0xFF);
      const bool is_none =
          (bits & 0x7F) == 0x7F || (view_.dtype == tensor::DType::kI8 && bits == 0x80);
      value = static_cast<std::byte>(is_none ? 0 : bits);
    }
    for (float& scale : scales_) scale = static_cast<float>(numbers.Next() / 128 + 3.0 / 128);
    MakeSums();
  }
  void FillWith(std::int8_t code, float scale) {
    for (std::byte& value : values_) value = static_cast<std::byte>(code);
    for (float& one : scales_) one = scale;
    MakeSums();
  }
  [[nodiscard]] float Sum(std::int64_t row, std::int64_t group) const {
    return sums_[static_cast<std::size_t>(row * (view_.columns / view_.group) + group)];
  }

 private:
  void MakeSums() {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      double sum = 0;
      for (std::int64_t k = 0; k < view_.group; ++k) {
        sum += tensor::LoadElement(view_.dtype, values_.data(),
                                   static_cast<std::int64_t>(i) * view_.group + k);
      }
      sums_[i] = scales_[i] * static_cast<float>(sum);
    }
  }

  std::vector<std::byte> values_;
  std::vector<float> scales_;
  std::vector<float> sums_;
  QuantizedActivation view_;
};

// The same codes, scales and sums; NaN equals NaN.
inline testing::AssertionResult SameCodes(const TestQuantized& got, const TestQuantized& want) {
  const auto same = [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  for (std::int64_t row = 0; row < want.view().rows; ++row) {
    for (std::int64_t column = 0; column < want.view().columns; ++column) {
      if (got.Code(row, column) == want.Code(row, column)) continue;
      return testing::AssertionFailure() << "code of row " << row << ", column " << column;
    }
    for (std::int64_t group = 0; group < want.view().columns / want.view().group; ++group) {
      if (same(got.Scale(row, group), want.Scale(row, group)) &&
          same(got.Sum(row, group), want.Sum(row, group))) {
        continue;
      }
      return testing::AssertionFailure() << "scale or sum of row " << row << ", group " << group;
    }
  }
  return testing::AssertionSuccess();
}

// A matrix with random codes and scales. `dtype` is that of the data for kPlain and of the scales
// for the others (E8M0 for kMxfp4 whatever is given).
class TestWeight {
 public:
  struct Form {
    tensor::WeightFormat format = tensor::WeightFormat::kPlain;
    tensor::DType dtype = tensor::DType::kF32;
    std::int64_t group = 0;  // for kInt4Group
  };

  TestWeight(Form form, std::int64_t rows, std::int64_t columns, std::uint32_t seed) {
    using tensor::DType;
    using tensor::WeightFormat;
    view_.format = form.format;
    view_.rows = rows;
    view_.columns = columns;
    view_.group = form.group;
    const std::int64_t row_blocks = (rows + 127) / 128;
    const std::int64_t column_blocks = (columns + 127) / 128;
    switch (form.format) {
      case WeightFormat::kPlain:
        MakeData(form.dtype, {rows, columns});
        break;
      case WeightFormat::kFp8Block:
        MakeData(DType::kF8E4M3, {rows, columns});
        MakeScales(form.dtype, {row_blocks, column_blocks});
        break;
      case WeightFormat::kFp8Channel:
        MakeData(DType::kF8E4M3, {rows, columns});
        MakeScales(form.dtype, {rows});
        break;
      case WeightFormat::kInt8Channel:
        MakeData(DType::kI8, {rows, columns});
        MakeScales(form.dtype, {rows});
        break;
      case WeightFormat::kInt4Group:
        MakeData(DType::kU8, {rows, columns / 2});
        MakeScales(form.dtype, {rows, columns / form.group});
        break;
      case WeightFormat::kMxfp4:
        MakeData(DType::kU8, {rows, columns / 2});
        MakeScales(DType::kF8E8M0, {rows, columns / 32});
        break;
      default:
        MakeData(DType::kU8, {rows, tensor::DataPerRow(view_)});
        break;
    }
    FillRandom(seed);
    if (const auto block = tensor::BlockOf(form.format)) FillBlockScales(*block, seed + 1);
  }
  TestWeight(const TestWeight&) = delete;
  TestWeight& operator=(const TestWeight&) = delete;

  [[nodiscard]] const tensor::WeightView& view() const { return view_; }
  [[nodiscard]] double At(std::int64_t row, std::int64_t column) const {
    return tensor::WeightElement(view_, row, column);
  }
  // Every byte that holds codes; the scales of blocks are made again.
  void SetCodes(int byte) {
    for (std::byte& one : data_) one = static_cast<std::byte>(byte);
    if (const auto block = tensor::BlockOf(view_.format)) FillBlockScales(*block, 5);
  }
  // Data element, as stored: a number for floats, a byte for the packed formats.
  void SetData(std::int64_t index, double value) { Put(view_.data, data_.data(), index, value); }
  void SetScale(std::int64_t index, double value) {
    Put(view_.scales, scales_.data(), index, value);
  }

 private:
  static void Put(const tensor::TensorView& view, std::byte* at, std::int64_t index, double value) {
    if (tensor::IsFloat(view.dtype)) {
      tensor::StoreElement(view.dtype, at, index, value);
    } else {
      at[index] = static_cast<std::byte>(static_cast<int>(value) & 0xFF);
    }
  }
  void MakeData(tensor::DType dtype, tensor::Shape shape) {
    data_.resize(static_cast<std::size_t>(shape.ElementCount() * tensor::DTypeBytes(dtype)));
    view_.data = {dtype, shape, data_.data()};
  }
  void MakeScales(tensor::DType dtype, tensor::Shape shape) {
    scales_.resize(static_cast<std::size_t>(shape.ElementCount() * tensor::DTypeBytes(dtype)));
    view_.scales = {dtype, shape, scales_.data()};
  }
  void FillRandom(std::uint32_t seed) {
    using tensor::DType;
    TestNumbers numbers(seed);
    for (std::int64_t i = 0; i < view_.data.shape.ElementCount(); ++i) {
      const bool is_float = tensor::IsFloat(view_.data.dtype);
      SetData(i, is_float ? numbers.Next() : static_cast<double>(numbers.Bits() & 0xFF));
    }
    const bool is_power = view_.scales.dtype == DType::kF8E8M0;
    for (std::int64_t i = 0; view_.scales.data != nullptr && i < view_.scales.shape.ElementCount();
         ++i) {
      SetScale(i, is_power ? 120.0 + numbers.Bits() % 8 : numbers.Next() / 64 + 3.0 / 128);
    }
  }

  // Scales of blocks between 1/64 and 1/32, minima too; MXFP4's as other powers of two.
  void FillBlockScales(const tensor::BlockShape& block, std::uint32_t seed) {
    using tensor::WeightFormat;
    TestNumbers numbers(seed);
    const auto step = static_cast<std::size_t>(block.bytes);
    for (std::size_t at = 0; at < data_.size(); at += step) {
      if (view_.format == WeightFormat::kMxfp4Block) {
        data_[at] = static_cast<std::byte>(120 + numbers.Bits() % 8);
        continue;
      }
      std::byte* first = &data_[at + (view_.format == WeightFormat::kQ6K ? 208 : 0)];
      const bool has_minimum =
          view_.format == WeightFormat::kQ4_1 || view_.format == WeightFormat::kQ5_1 ||
          view_.format == WeightFormat::kQ4K || view_.format == WeightFormat::kQ5K;
      for (int i = 0; i < (has_minimum ? 2 : 1); ++i) {
        tensor::StoreElement(tensor::DType::kF16, first, i, numbers.Next() / 128 + 3.0 / 128);
      }
    }
  }

  std::vector<std::byte> data_;
  std::vector<std::byte> scales_;
  tensor::WeightView view_;
};

// A matrix laid out anew for the CPU's kernels.
class TestInterleaved {
 public:
  explicit TestInterleaved(const TestWeight& from)
      : view_(tensor::InterleavedView(from.view(), nullptr)),
        data_(static_cast<std::size_t>(view_.data.ByteCount())) {
    view_.data.data = data_.data();
    for (std::int64_t row = 0; row < view_.rows; row += tensor::kInterleavedRows) {
      tensor::InterleaveRows(from.view(), row, data_.data());
    }
  }
  TestInterleaved(const TestInterleaved&) = delete;
  TestInterleaved& operator=(const TestInterleaved&) = delete;

  [[nodiscard]] const tensor::WeightView& view() const { return view_; }

 private:
  tensor::WeightView view_;
  std::vector<std::byte> data_;
};

// A plain vector of the given values.
inline tensor::WeightView VectorView(const std::vector<float>& values) {
  tensor::WeightView view;
  view.rows = static_cast<std::int64_t>(values.size());
  view.columns = 1;
  view.data = {
      tensor::DType::kF32, {view.rows, 1}, reinterpret_cast<const std::byte*>(values.data())};
  return view;
}

// The forms that interleave: with columns % 256 == 0.
inline const std::vector<TestWeight::Form>& InterleavedForms() {
  using tensor::DType;
  using tensor::WeightFormat;
  static const std::vector<TestWeight::Form> forms = {
      {WeightFormat::kQ4_0},
      {WeightFormat::kQ4_1},
      {WeightFormat::kQ5_0},
      {WeightFormat::kQ5_1},
      {WeightFormat::kQ8_0},
      {WeightFormat::kQ4K},
      {WeightFormat::kQ5K},
      {WeightFormat::kQ6K},
      {WeightFormat::kMxfp4, DType::kF8E8M0},
      {WeightFormat::kMxfp4Block},
      {WeightFormat::kInt4Group, DType::kBF16, 32},
      {WeightFormat::kInt4Group, DType::kBF16, 128},
      {WeightFormat::kInt8Channel, DType::kF32},
      {WeightFormat::kInt8Channel, DType::kBF16},
  };
  return forms;
}

// One per format and dtype that a kernel must read; 4-bit forms need columns % 32 == 0.
inline const std::vector<TestWeight::Form>& AllWeightForms() {
  using tensor::DType;
  using tensor::WeightFormat;
  static const std::vector<TestWeight::Form> forms = {
      {WeightFormat::kPlain, DType::kF32},
      {WeightFormat::kPlain, DType::kBF16},
      {WeightFormat::kPlain, DType::kF16},
      {WeightFormat::kFp8Block, DType::kF32},
      {WeightFormat::kFp8Block, DType::kBF16},
      {WeightFormat::kFp8Block, DType::kF8E8M0},
      {WeightFormat::kFp8Channel, DType::kF32},
      {WeightFormat::kFp8Channel, DType::kBF16},
      {WeightFormat::kInt8Channel, DType::kF32},
      {WeightFormat::kInt8Channel, DType::kBF16},
      {WeightFormat::kInt4Group, DType::kF32, 32},
      {WeightFormat::kInt4Group, DType::kBF16, 32},
      {WeightFormat::kMxfp4, DType::kF8E8M0},
      {WeightFormat::kQ8_0},
      {WeightFormat::kQ4_0},
  };
  return forms;
}

}  // namespace glint::kernels
