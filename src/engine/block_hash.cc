// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <cstring>
#include <random>
#include <string>

#include "engine/internal/block_hash.h"

namespace glint::engine {
namespace {

struct SipState {
  std::array<std::uint64_t, 4> v;

  void Round() {
    v[0] += v[1];
    v[1] = std::rotl(v[1], 13) ^ v[0];
    v[0] = std::rotl(v[0], 32);
    v[2] += v[3];
    v[3] = std::rotl(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = std::rotl(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = std::rotl(v[1], 17) ^ v[2];
    v[2] = std::rotl(v[2], 32);
  }
  void Absorb(std::uint64_t word) {
    v[3] ^= word;
    for (int i = 0; i < 2; ++i) Round();
    v[0] ^= word;
  }
  std::uint64_t Squeeze() {
    for (int i = 0; i < 4; ++i) Round();
    return v[0] ^ v[1] ^ v[2] ^ v[3];
  }
};

}  // namespace

BlockHasher::Key BlockHasher::RandomKey() {
  std::random_device device;
  const auto word = [&] { return (std::uint64_t{device()} << 32U) | device(); };
  return {.low = word(), .high = word()};
}

BlockHash BlockHasher::Hash(std::string_view bytes) const {
  SipState state{{key_.low ^ 0x736f6d6570736575U, key_.high ^ 0x646f72616e646f6dU ^ 0xeeU,
                  key_.low ^ 0x6c7967656e657261U, key_.high ^ 0x7465646279746573U}};
  const std::size_t size = bytes.size();
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    state.Absorb(word);
  }
  std::uint64_t last = std::uint64_t{size} << 56U;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    last |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  state.Absorb(last);
  state.v[2] ^= 0xeeU;
  BlockHash hash;
  hash.low = state.Squeeze();
  state.v[1] ^= 0xddU;
  hash.high = state.Squeeze();
  return hash;
}

BlockHash BlockHasher::Next(const BlockHash& parent, std::span<const std::int32_t> page) const {
  std::string bytes(16 + page.size_bytes(), '\0');
  std::memcpy(bytes.data(), &parent.high, 8);
  std::memcpy(bytes.data() + 8, &parent.low, 8);
  std::memcpy(bytes.data() + 16, page.data(), page.size_bytes());
  return Hash(bytes);
}

}  // namespace glint::engine
