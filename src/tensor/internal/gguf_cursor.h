// SPDX-License-Identifier: Apache-2.0
// A place in the bytes of a GGUF header that moves only over what is there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace glint::tensor {

// Thread-compatible. What does not fit gives nullopt and moves nothing.
class GgufCursor {
 public:
  explicit GgufCursor(std::span<const std::byte> bytes, std::size_t at = 0)
      : bytes_(bytes), at_(at) {}

  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }

  // A little-endian number, at any alignment.
  template <typename Number>
  std::optional<Number> Take() {
    const auto bytes = TakeBytes(sizeof(Number));
    if (!bytes) return std::nullopt;
    Number value;
    std::memcpy(&value, bytes->data(), sizeof(Number));
    return value;
  }

  std::optional<std::span<const std::byte>> TakeBytes(std::uint64_t count) {
    if (count > left()) return std::nullopt;
    const auto taken = bytes_.subspan(at_, static_cast<std::size_t>(count));
    at_ += static_cast<std::size_t>(count);
    return taken;
  }

  // A u64 length and that many bytes.
  std::optional<std::string_view> TakeString() {
    const std::size_t before = at_;
    const auto length = Take<std::uint64_t>();
    const auto text = length ? TakeBytes(*length) : std::nullopt;
    if (!text) {
      at_ = before;
      return std::nullopt;
    }
    return std::string_view(reinterpret_cast<const char*>(text->data()), text->size());
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_;
};

}  // namespace glint::tensor
