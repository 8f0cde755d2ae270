// SPDX-License-Identifier: Apache-2.0
// Element types as safetensors names them, and the exact conversions between their bits and float.
//
// Sources: IEEE 754 (binary16); OCP 8-bit Floating Point Specification 1.0 (E4M3); OCP Microscaling
// Formats 1.0 (E8M0, E2M1).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace glint::tensor {

enum class DType : std::uint8_t {
  kF32,
  kF16,
  kBF16,
  kF8E4M3,  // 1-4-3, bias 7, no infinity, 0x7F and 0xFF are NaN, largest 448
  kF8E8M0,  // a power of two, 2^(e-127); 255 is NaN
  kU8,
  kI8,
  kI32,
  kI64,
};

// Bytes of one element, 1 to 8.
std::int64_t DTypeBytes(DType dtype);

// "BF16", "F8_E4M3", ... as in a safetensors header, and back.
const char* DTypeName(DType dtype);
std::optional<DType> ParseDType(std::string_view name);

// True for the types that hold a real number on their own (F32, F16, BF16, F8_E4M3).
bool IsFloat(DType dtype);

// Bits to float: exact. Float to bits: to nearest, ties to even; NaN stays NaN.
float Bf16ToFloat(std::uint16_t bits);
std::uint16_t FloatToBf16(float value);  // beyond the largest finite value: infinity
float F16ToFloat(std::uint16_t bits);
std::uint16_t FloatToF16(float value);  // beyond the largest finite value: infinity
float E4M3ToFloat(std::uint8_t bits);
std::uint8_t FloatToE4M3(float value);  // saturates at +-448
float E8M0ToFloat(std::uint8_t bits);   // 255: NaN
float E2M1ToFloat(std::uint8_t code);   // the low four bits: 0 .5 1 1.5 2 3 4 6 and negatives

// Element `index` of an array as double: exact but for I64 beyond 2^53. The slow road, for
// references, tests and checks of small tensors.
double LoadElement(DType dtype, const void* data, std::int64_t index);

// Rounds `value` to the type, once (not by way of float), and stores it; too large a value is
// treated as by the functions above. Floating types (F32, F16, BF16, F8_E4M3) only; anything else
// is a bug.
void StoreElement(DType dtype, void* data, std::int64_t index, double value);

}  // namespace glint::tensor
