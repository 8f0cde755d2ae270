// SPDX-License-Identifier: Apache-2.0
#include "model/internal/convert_weight.h"

#include <vector>

#include "tensor/block_format.h"
#include "tensor/encode_block.h"
#include "tensor/interleaved.h"
#include "tensor/read_row.h"

namespace glint::model {
namespace {

using tensor::DType;
using tensor::WeightView;

constexpr std::int64_t kLanes = tensor::kInterleavedRows;

std::byte* Writable(const WeightView& to) {
  return const_cast<std::byte*>(to.data.data);  // memory that load_weights.cc allocated
}

// Eight rows of k_b, transposed from kv_b [heads * (nope + v), rank]: eight columns of it, so that
// each line of memory is read once. rank is a multiple of eight.
void ReadKeyRows(const Conversion& one, std::int64_t first, float* out) {
  const std::int64_t head = first / one.mla.kv_lora_rank;
  const std::int64_t row = head * (one.mla.nope_dim + one.mla.v_dim);
  const std::int64_t column = first % one.mla.kv_lora_rank;
  float eight[kLanes];
  for (std::int64_t i = 0; i < one.to.columns; ++i) {
    tensor::LoadElements(one.from.data.dtype, one.from.data.data,
                         (row + i) * one.from.columns + column, kLanes, eight);
    for (std::int64_t lane = 0; lane < kLanes; ++lane) out[lane * one.to.columns + i] = eight[lane];
  }
}

// Eight rows of what `one` makes, in floats.
void ReadSourceRows(const Conversion& one, std::int64_t first, float* out) {
  const bool whole = one.from.rows != one.to.rows || one.from.columns != one.to.columns;
  if (whole && one.slot == WeightSlot::kKB) return ReadKeyRows(one, first, out);
  for (std::int64_t row = first; row < first + kLanes; ++row, out += one.to.columns) {
    if (whole && one.slot == WeightSlot::kVB) {
      const std::int64_t head = row / one.mla.v_dim;
      const std::int64_t head_row = head * (one.mla.nope_dim + one.mla.v_dim);
      tensor::ReadRow(one.from, head_row + one.mla.nope_dim + row % one.mla.v_dim, out);
    } else {
      tensor::ReadRow(one.from, row, out);
    }
  }
}

// What a thread needs for eight rows.
struct Scratch {
  std::vector<float> values;
  std::vector<std::byte> blocks;
};

// Eight rows in the block format of `to`, as a view of `scratch`.
WeightView EncodedRows(const Conversion& one, std::int64_t first, Scratch& scratch) {
  WeightView rows = BlockRows(kLanes, one.to.columns, one.to.format);
  const auto block = tensor::BlockOf(one.to.format);
  scratch.blocks.resize(static_cast<std::size_t>(rows.data.ByteCount()));
  scratch.values.resize(static_cast<std::size_t>(kLanes * one.to.columns));
  ReadSourceRows(one, first, scratch.values.data());
  std::byte* at = scratch.blocks.data();
  for (std::size_t i = 0; i < scratch.values.size();
       i += static_cast<std::size_t>(block->elements)) {
    tensor::EncodeBlock(one.to.format, scratch.values.data() + i, at);
    at += block->bytes;
  }
  rows.data.data = scratch.blocks.data();
  return rows;
}

bool ConvertToInterleaved(const Conversion& one, std::int64_t begin, std::int64_t end) {
  std::byte* out = Writable(one.to);
  Scratch scratch;
  for (std::int64_t first = begin; first < end; first += kLanes) {
    if (one.from.format == one.to.format) {
      if (!tensor::BlockScalesAreFinite(one.from, first, first + kLanes)) return false;
      tensor::InterleaveRows(one.from, first, out);
    } else {
      const WeightView rows = EncodedRows(one, first, scratch);
      if (!tensor::BlockScalesAreFinite(rows, 0, kLanes)) return false;
      tensor::InterleaveRows(rows, 0, out + first * tensor::DataPerRow(one.to));
    }
  }
  return true;
}

// kv_b joined from its halves, of which the keys' is transposed.
void ReadJoinedRow(const SplitKvB& split, std::int64_t row, std::vector<double>& out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = SplitKvBElement(split, row, static_cast<std::int64_t>(i));
  }
}

bool ConvertToPlain(const Conversion& one, std::int64_t begin, std::int64_t end) {
  const bool joined = one.split_kv_b != nullptr;
  if (!joined && !tensor::BlockScalesAreFinite(one.from, begin, end)) return false;
  std::vector<double> values(static_cast<std::size_t>(one.to.columns));
  for (std::int64_t row = begin; row < end; ++row) {
    if (joined) {
      ReadJoinedRow(*one.split_kv_b, row, values);
    } else {
      tensor::ReadRowExact(one.from, row, values.data());
    }
    tensor::StoreElements(one.to.data.dtype, values.data(), one.to.columns, Writable(one.to),
                          row * one.to.columns);
  }
  return true;
}

}  // namespace

WeightView PlainView(std::int64_t rows, std::int64_t columns, DType dtype) {
  WeightView view;
  view.rows = rows;
  view.columns = columns;
  view.data.dtype = dtype;
  view.data.shape = columns == 1 ? tensor::Shape{rows} : tensor::Shape{rows, columns};
  return view;
}

WeightView BlockRows(std::int64_t rows, std::int64_t columns, tensor::WeightFormat format) {
  WeightView view;
  view.format = format;
  view.rows = rows;
  view.columns = columns;
  view.data = {DType::kU8, {rows, tensor::DataPerRow(view)}, nullptr};
  return view;
}

bool ConvertRows(const Conversion& one, std::int64_t begin, std::int64_t end) {
  return one.to.layout == tensor::WeightLayout::kInterleaved8
             ? ConvertToInterleaved(one, begin, end)
             : ConvertToPlain(one, begin, end);
}

}  // namespace glint::model
