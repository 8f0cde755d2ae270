// SPDX-License-Identifier: Apache-2.0
// Whatever parses must be what its own description says: ranges that fill the data, of the size of
// shape and type; and a header written from it must parse to the same.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/check.h"
#include "tensor/safetensors.h"
#include "tensor/safetensors_writer.h"

namespace glint::tensor {
namespace {

void CheckEntries(std::span<const std::byte> file, const SafetensorsHeader& header) {
  const auto data = file.subspan(static_cast<std::size_t>(header.data_begin));
  std::int64_t filled = 0;
  for (const SafetensorsEntry& entry : header.entries) {
    GLINT_CHECK(entry.begin == filled, entry.name);
    GLINT_CHECK(entry.data.data() == data.data() + entry.begin, entry.name);
    const TensorView view = {entry.dtype, entry.shape, entry.data.data()};
    GLINT_CHECK(view.ByteCount() == static_cast<std::int64_t>(entry.data.size()), entry.name);
    if (!entry.data.empty()) (void)view.At(view.shape.ElementCount() - 1);
    filled = entry.end;
  }
  GLINT_CHECK(filled == static_cast<std::int64_t>(data.size()), "data after the last tensor");
}

void CheckRewrite(std::span<const std::byte> file, const SafetensorsHeader& header) {
  std::vector<TensorSpec> specs;
  specs.reserve(header.entries.size());
  for (const auto& entry : header.entries) specs.push_back({entry.name, entry.dtype, entry.shape});
  const Result<std::string> text = WriteSafetensorsHeader(specs, header.metadata);
  GLINT_CHECK(text.ok(), text.error().message);
  std::vector<std::byte> bytes(text.value().size());
  std::memcpy(bytes.data(), text.value().data(), bytes.size());
  bytes.insert(bytes.end(), file.begin() + header.data_begin, file.end());
  const Result<SafetensorsHeader> again = ParseSafetensorsHeader(bytes, "again");
  GLINT_CHECK(again.ok(), again.error().message);
  GLINT_CHECK(again.value().metadata == header.metadata, "metadata");
  GLINT_CHECK(again.value().entries.size() == header.entries.size(), "number of tensors");
  for (const SafetensorsEntry& entry : header.entries) {
    const auto index = static_cast<std::size_t>(&entry - header.entries.data());
    const SafetensorsEntry& other = again.value().entries[index];
    // Empty tensors at one place are ordered by name, so the order is the same.
    GLINT_CHECK(other.name == entry.name && other.dtype == entry.dtype, entry.name);
    GLINT_CHECK(other.shape == entry.shape && other.begin == entry.begin, entry.name);
  }
}

}  // namespace
}  // namespace glint::tensor

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> file(reinterpret_cast<const std::byte*>(data), size);
  const auto header = glint::tensor::ParseSafetensorsHeader(file, "fuzz");
  if (!header.ok()) return 0;
  glint::tensor::CheckEntries(file, header.value());
  glint::tensor::CheckRewrite(file, header.value());
  return 0;
}
