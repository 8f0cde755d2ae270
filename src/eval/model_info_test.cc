// SPDX-License-Identifier: Apache-2.0
#include "eval/model_info.h"

#include <gtest/gtest.h>

#include "spec/builtin_models.h"
#include "spec/config_parser.h"

namespace glint::eval {
namespace {

ModelInfo Builtin(std::string_view name) {
  return DescribeModel(std::string(name), spec::ParseBuiltin(name).value());
}

TEST(ModelInfo, JsonHasThePublishedFiguresOfGlm52) {
  const Json json = ModelInfoJson(Builtin("glm-5.2"));
  EXPECT_EQ(json.Find("parameters_total")->AsInt(), 753'329'940'480);
  EXPECT_EQ(json.Find("parameters_trunk")->AsInt(), 743'377'019'904);
  EXPECT_EQ(json.Find("parameters_active")->AsInt(), 40'298'947'584);
  EXPECT_EQ(json.Find("cache_bytes_per_token")->AsInt(), 96'640);
  EXPECT_EQ(json.Find("cache_bytes_per_token_fp8")->AsInt(), 54'728);
  EXPECT_EQ(json.Find("bytes")->Find("bf16")->AsInt(), 1'506'659'919'872);
  EXPECT_EQ(json.Find("bytes")->Find("fp8")->AsInt(), 755'617'140'416);
}

TEST(ModelInfo, JsonSaysNullWhereThereIsNoFp8Cache) {
  EXPECT_TRUE(ModelInfoJson(Builtin("glm-4.5")).Find("cache_bytes_per_token_fp8")->is_null());
}

TEST(ModelInfo, TextNamesWhatTheModelIs) {
  const std::string text = WriteModelInfo(Builtin("glm-5.2"));
  for (const char* part :
       {"glm-5.2 (glm_moe_dsa)", "753,329,940,480", "256 experts of width 2,048, 8 a token",
        "21 layers select, 57 share", "1,048,576 tokens", "w4a8", "96,640 bytes a token"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

}  // namespace
}  // namespace glint::eval
