// SPDX-License-Identifier: Apache-2.0
#include "tensor/internal/gguf_types.h"

namespace glint::tensor {
namespace {

constexpr GgmlType Plain(std::uint32_t id, const char* name, DType dtype) {
  return {.name = name, .id = id, .read = true, .dtype = dtype, .format = WeightFormat::kPlain};
}
constexpr GgmlType Block(std::uint32_t id, const char* name, WeightFormat format) {
  return {.name = name, .id = id, .read = true, .dtype = DType::kU8, .format = format};
}
constexpr GgmlType Unread(std::uint32_t id, const char* name) { return {.name = name, .id = id}; }

constexpr GgmlType kTypes[] = {
    Plain(0, "F32", DType::kF32),
    Plain(1, "F16", DType::kF16),
    Plain(30, "BF16", DType::kBF16),
    Block(2, "Q4_0", WeightFormat::kQ4_0),
    Block(3, "Q4_1", WeightFormat::kQ4_1),
    Block(6, "Q5_0", WeightFormat::kQ5_0),
    Block(7, "Q5_1", WeightFormat::kQ5_1),
    Block(8, "Q8_0", WeightFormat::kQ8_0),
    Block(12, "Q4_K", WeightFormat::kQ4K),
    Block(13, "Q5_K", WeightFormat::kQ5K),
    Block(14, "Q6_K", WeightFormat::kQ6K),
    Block(39, "MXFP4", WeightFormat::kMxfp4Block),
    Unread(9, "Q8_1"),
    Unread(10, "Q2_K"),
    Unread(11, "Q3_K"),
    Unread(15, "Q8_K"),
    Unread(16, "IQ2_XXS"),
    Unread(17, "IQ2_XS"),
    Unread(18, "IQ3_XXS"),
    Unread(19, "IQ1_S"),
    Unread(20, "IQ4_NL"),
    Unread(21, "IQ3_S"),
    Unread(22, "IQ2_S"),
    Unread(23, "IQ4_XS"),
    Unread(24, "I8"),
    Unread(25, "I16"),
    Unread(26, "I32"),
    Unread(27, "I64"),
    Unread(28, "F64"),
    Unread(29, "IQ1_M"),
    Unread(34, "TQ1_0"),
    Unread(35, "TQ2_0"),
    Unread(40, "NVFP4"),
};

}  // namespace

const GgmlType* FindGgmlType(std::uint32_t id) {
  for (const GgmlType& type : kTypes) {
    if (type.id == id) return &type;
  }
  return nullptr;
}

std::string ReadGgmlTypes() {
  std::string names;
  for (const GgmlType& type : kTypes) {
    if (type.read) names += (names.empty() ? "" : ", ") + std::string(type.name);
  }
  return names;
}

}  // namespace glint::tensor
