// SPDX-License-Identifier: Apache-2.0
// For the *_cpu.cc files of the cache operations: rows that are normalised, rotated and stored
// without a buffer between, so that each value is rounded to the cache's type once.
#pragma once

#include "kernels/cache_math.h"
#include "kernels/internal/cache_piece.h"
#include "kernels/isa_vector.h"
#include "kernels/rope/rope_math.h"

namespace glint::kernels::GLINT_ISA {

GLINT_ISA_INLINE void StoreElement(float* to, float value) { *to = value; }
// To nearest, ties to even; NaN stays NaN.
GLINT_ISA_INLINE void StoreElement(uint16_t* to, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  const uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  *to = static_cast<uint16_t>(value == value ? rounded : (bits >> 16) | 0x40);
}

GLINT_ISA_INLINE float ElementAt(const PlainVector& vector, int64_t i) {
  uint32_t bits = 0;
  if (vector.bf16) {
    uint16_t half;
    memcpy(&half, static_cast<const char*>(vector.data) + i * 2, sizeof(half));
    bits = static_cast<uint32_t>(half) << 16;
  } else {
    memcpy(&bits, static_cast<const char*>(vector.data) + i * 4, sizeof(bits));
  }
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

// Sum of from[i] - mean, or of its square, in eight lanes over ascending i.
GLINT_ISA_INLINE float SumOf(const float* from, int64_t width, float mean, bool squares) {
  F32x8 sum = {};
  int64_t i = 0;
  for (; i + 8 <= width; i += 8) {
    const F32x8 away = Load(from + i) - mean;
    sum += squares ? away * away : away;
  }
  F32x8 away = LoadPart(from + i, width - i) - mean;
  for (int64_t lane = width - i; lane < 8; ++lane) away[lane] = 0;
  sum += squares ? away * away : away;
  return Sum(sum);
}

// A row whose element i becomes (from[i] - mean) * factor * weight[i] + bias[i]; without a weight
// it stays from[i].
struct NormedRow {
  const float* from;
  PlainVector weight;
  PlainVector bias;
  float mean;
  float factor;
};

GLINT_ISA_INLINE NormedRow RmsNormed(const float* from, int64_t width, const PlainVector& weight,
                                     float epsilon) {
  NormedRow row = {from, weight, {}, 0, 1};
  if (weight.data == nullptr) return row;
  const float squares = SumOf(from, width, 0, true);
  row.factor = 1 / __builtin_sqrtf(squares / static_cast<float>(width) + epsilon);
  return row;
}

GLINT_ISA_INLINE NormedRow LayerNormed(const float* from, int64_t width, const PlainVector& weight,
                                       const PlainVector& bias, float epsilon) {
  NormedRow row = {from, weight, bias, 0, 1};
  row.mean = SumOf(from, width, 0, false) / static_cast<float>(width);
  const float squares = SumOf(from, width, row.mean, true);
  row.factor = 1 / __builtin_sqrtf(squares / static_cast<float>(width) + epsilon);
  return row;
}

GLINT_ISA_INLINE float NormedAt(const NormedRow& row, int64_t i) {
  if (row.weight.data == nullptr) return row.from[i];
  const float scaled = (row.from[i] - row.mean) * row.factor;
  const float weight = ElementAt(row.weight, i);
  if (row.bias.data == nullptr) return scaled * weight;
  return __builtin_fmaf(scaled, weight, ElementAt(row.bias, i));
}

// Elements [first, last); to[0] is element 0 and may be row.from.
template <typename Element>
GLINT_ISA_INLINE void StoreNormed(const NormedRow& row, int64_t first, int64_t last, Element* to) {
  for (int64_t i = first; i < last; ++i) StoreElement(to + i, NormedAt(row, i));
}

// Sines and cosines of some neighbouring pairs, taken once for all heads of a row.
struct RotatedPairs {
  static constexpr int64_t kMost = 64;
  int64_t first;
  int64_t count;
  RopeRotation rotations[kMost];
};

GLINT_ISA_INLINE void FindRotations(const RopeView& rope, int32_t position, int64_t first,
                                    RotatedPairs& pairs) {
  const int64_t left = rope.width / 2 - first;
  pairs.first = first;
  pairs.count = left < RotatedPairs::kMost ? left : RotatedPairs::kMost;
  for (int64_t j = 0; j < pairs.count; ++j) {
    pairs.rotations[j] = RopeRotationAt(position, rope.inverse_frequency[first + j]);
  }
}

// The pairs of the row, rotated; `to` may be row.from.
template <typename Element>
GLINT_ISA_INLINE void StoreRotated(const NormedRow& row, const RopeView& rope,
                                   const RotatedPairs& pairs, Element* to) {
  for (int64_t j = 0; j < pairs.count; ++j) {
    const RopeRotation rotation = pairs.rotations[j];
    const int64_t first = RopeFirst(rope, pairs.first + j);
    const int64_t second = RopeSecond(rope, pairs.first + j);
    const float a = NormedAt(row, first);
    const float b = NormedAt(row, second);
    StoreElement(to + first, a * rotation.cosine - b * rotation.sine);
    StoreElement(to + second, b * rotation.cosine + a * rotation.sine);
  }
}

GLINT_ISA_INLINE void RotateInPlace(float* head, const RopeView& rope, const RotatedPairs& pairs) {
  const NormedRow row = {head, {}, {}, 0, 1};
  StoreRotated(row, rope, pairs, head);
}

// The token of a row in a cache of Element.
template <typename Element>
GLINT_ISA_INLINE Element* TokenOf(const CacheSide& side, const BatchTables& tables, int64_t row) {
  const int64_t slot = CacheSlot(tables, tables.row_sequence[row], tables.row_position[row]);
  return static_cast<Element*>(side.cache) + slot * side.cache_width;
}

}  // namespace glint::kernels::GLINT_ISA
