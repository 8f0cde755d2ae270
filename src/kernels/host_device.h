// SPDX-License-Identifier: Apache-2.0
// GLINT_HD: before a function that host and device code share. On the host it is always inlined
// and static, so that an ISA build cannot leave a copy of it to the linker.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)
#define GLINT_HD __host__ __device__ static inline
#else
#define GLINT_HD [[gnu::always_inline]] static inline
#endif
