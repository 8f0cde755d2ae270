// SPDX-License-Identifier: Apache-2.0
// Fixtures for tests of CPU implementations: every test is there once for each instruction set,
// which is part of its name. One that this machine cannot run is skipped, never passed.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "kernels/isa.h"

namespace glint::kernels {

inline std::string CannotRun(Isa isa) {
  return std::string("this machine cannot run ") + IsaName(isa);
}

// TEST_P with an instruction set as its parameter.
class IsaTest : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!IsaRuns(isa())) GTEST_SKIP() << CannotRun(isa());
  }
  [[nodiscard]] static Isa isa() { return GetParam(); }
};

inline auto EachIsa() { return testing::ValuesIn(kIsas); }
inline std::string IsaTestName(const testing::TestParamInfo<Isa>& info) {
  return IsaName(info.param);
}

// TEST_P with an instruction set and the sizes of a problem.
template <typename Sizes>
class IsaSizesTest : public testing::TestWithParam<std::tuple<Isa, Sizes>> {
 protected:
  void SetUp() override {
    if (!IsaRuns(isa())) GTEST_SKIP() << CannotRun(isa());
  }
  [[nodiscard]] static Isa isa() { return std::get<0>(IsaSizesTest::GetParam()); }
  [[nodiscard]] static const Sizes& given() { return std::get<1>(IsaSizesTest::GetParam()); }
};

template <typename Sizes>
std::string IsaSizesTestName(const testing::TestParamInfo<std::tuple<Isa, Sizes>>& info) {
  return std::string(IsaName(std::get<0>(info.param))) + "_" + std::to_string(info.index);
}

}  // namespace glint::kernels
