// SPDX-License-Identifier: Apache-2.0
// GLINT_HD marks a function of a _math.h header: arithmetic that host and device share.
//
// On the host such a function is always inlined and has internal linkage, so that a copy compiled
// for a newer instruction set can never be the one that the linker keeps. A product that is added
// to something is written as __builtin_fmaf, never as a * b + c: compilers differ in what they
// contract, and results that all devices share must not.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)
#define GLINT_HD __host__ __device__ __forceinline__ static
#else
#define GLINT_HD [[gnu::always_inline]] static inline
#endif
