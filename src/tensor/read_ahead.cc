// SPDX-License-Identifier: Apache-2.0
#include "tensor/read_ahead.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace glint::tensor {
namespace {

constexpr std::int64_t kBlockBytes = std::int64_t{32} << 20;

// Maps and reads the pages of a range, without touching them: a hole in the file is an error here
// and not a signal. False also where the kernel is older than 5.14.
bool Populate(const std::byte* data, std::int64_t bytes) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t into_page = reinterpret_cast<std::uintptr_t>(data) % page;
  auto* begin = const_cast<std::byte*>(data) - into_page;
  return madvise(begin, static_cast<std::size_t>(bytes) + into_page, MADV_POPULATE_READ) == 0;
}

}  // namespace

std::int64_t ReadAhead(const Checkpoint& checkpoint,
                       const std::function<void(std::int64_t, std::int64_t)>& progress) {
  std::int64_t done = 0;
  std::int64_t in_memory = 0;
  for (const StoredTensor& tensor : checkpoint.tensors()) {
    const auto size = static_cast<std::int64_t>(tensor.bytes.size());
    for (std::int64_t at = 0; at < size; at += kBlockBytes) {
      const std::int64_t block = std::min(kBlockBytes, size - at);
      if (Populate(tensor.bytes.data() + at, block)) in_memory += block;
      done += block;
      if (progress) progress(done, checkpoint.tensor_bytes());
    }
  }
  return in_memory;
}

}  // namespace glint::tensor
