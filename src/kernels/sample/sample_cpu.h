// SPDX-License-Identifier: Apache-2.0
// sample on the CPU: rows spread over the pool, the tokens those of the reference.
//
// One build for all instruction sets: what it costs is exp and log in double, not vector width. A
// row is sorted only as far as the cuts need, and a random number is turned into a score only where
// it could win.
#pragma once

#include "device/device.h"
#include "kernels/sample/sample.h"

namespace glint::kernels {

// Enqueues on a stream of the CPU device; arguments as CheckSampleArgs accepts them. The picks do
// not depend on the number of rows or threads.
void SampleCpu(device::Stream& stream, const SampleArgs& args);

}  // namespace glint::kernels
