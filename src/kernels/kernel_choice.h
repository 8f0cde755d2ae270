// SPDX-License-Identifier: Apache-2.0
// Which implementation runs an operation of a given shape: data, not code. A table maps a key to
// the name of a variant; a shape without an entry takes the fallback, and says so once.
//
// `invariant` is part of the key: under --deterministic (and always on the CPU) only variants whose
// order of sums does not depend on the number of rows may be chosen.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>

#include "base/fallback.h"

namespace glint::kernels {

struct KernelKey {
  std::string operation;  // "linear"
  std::string formats;    // "int4g128:i8", weights:activations; empty where it does not matter
  std::string device;     // "cpu-avx2", "sm_90", "gfx950"
  std::int64_t row_bucket = 1;  // rows, rounded up to a power of two
  std::int64_t outputs = 0;
  std::int64_t inputs = 0;
  bool invariant = true;
  friend auto operator<=>(const KernelKey&, const KernelKey&) = default;
};

// Smallest power of two that is at least `rows` (> 0).
std::int64_t RowBucket(std::int64_t rows);

// Thread-compatible: filled and asked at start.
class KernelChoices {
 public:
  // `fallback` names the variant for keys that have no entry.
  explicit KernelChoices(std::string fallback) : fallback_(std::move(fallback)) {}

  void Add(KernelKey key, std::string variant) { entries_[std::move(key)] = std::move(variant); }

  // The variant for `key`. An entry for another row bucket of the same key is not taken: what is
  // fast at one row is often slow at many. A missing entry is reported to `log`.
  [[nodiscard]] const std::string& Choose(const KernelKey& key, FallbackLog& log) const;

 private:
  std::string fallback_;
  std::map<KernelKey, std::string> entries_;
};

}  // namespace glint::kernels
