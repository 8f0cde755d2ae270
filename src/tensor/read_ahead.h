// SPDX-License-Identifier: Apache-2.0
// Brings a checkpoint's mapped bytes into memory before they are needed, so that the first request
// does not wait for the disk page by page.
#pragma once

#include <cstdint>
#include <functional>

#include "tensor/checkpoint.h"

namespace glint::tensor {

// Reads all tensors, in the order in which they lie on the disk; `progress` hears of the bytes so
// far and in all, on the caller's thread. What cannot be read now (the file was cut) is left to the
// first use. Returns the bytes that are in memory.
std::int64_t ReadAhead(const Checkpoint& checkpoint,
                       const std::function<void(std::int64_t done, std::int64_t total)>& progress);

}  // namespace glint::tensor
