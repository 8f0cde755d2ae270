// SPDX-License-Identifier: Apache-2.0
#include "plan/yaml_tree.h"

#include <gtest/gtest.h>

namespace glint::plan {
namespace {

std::string ErrorOf(std::string_view text) {
  const auto root = ParseYaml(text, "f.yaml");
  return root.ok() ? "" : root.error().message;
}

TEST(YamlTree, KeepsOrderAndLines) {
  const auto root = ParseYaml("a: 1\nb:\n  - x\n  - {c: \"2\"}\nd:\n", "f.yaml");
  ASSERT_TRUE(root.ok()) << root.error().message;
  const YamlNode& map = root.value();
  ASSERT_EQ(map.members.size(), 3U);
  EXPECT_EQ(map.members[0].value.text, "1");
  EXPECT_EQ(map.members[1].value.items.size(), 2U);
  EXPECT_EQ(map.members[1].value.items[1].line, 4);
  EXPECT_EQ(map.members[1].value.items[1].members[0].value.text, "2");
  EXPECT_EQ(map.members[2].value.kind, YamlNode::Kind::kNull);
}

TEST(YamlTree, EmptyTextIsNull) {
  EXPECT_EQ(ParseYaml("", "f").value().kind, YamlNode::Kind::kNull);
  EXPECT_EQ(ParseYaml("# only a comment\n", "f").value().kind, YamlNode::Kind::kNull);
}

TEST(YamlTree, RefusesWithFileAndLine) {
  EXPECT_EQ(ErrorOf("a: 1\na: 2\n").substr(0, 9), "f.yaml:2:");
  EXPECT_NE(ErrorOf("a: 1\na: 2\n").find("twice"), std::string::npos);
  EXPECT_NE(ErrorOf("a: &x 1\nb: *x\n").find("anchors"), std::string::npos);
  EXPECT_NE(ErrorOf("a: !!python/object 1\n").find("tags"), std::string::npos);
  EXPECT_EQ(ErrorOf("a: [1, 2\nb: 3\n").substr(0, 7), "f.yaml:");
  EXPECT_NE(ErrorOf("a: 1\n---\nb: 2\n").find("more than one"), std::string::npos);
  EXPECT_NE(ErrorOf("? [a]\n: 1\n").find("key"), std::string::npos);
  EXPECT_NE(ErrorOf("a: \xff\n").find("UTF-8"), std::string::npos);
  EXPECT_NE(ErrorOf(std::string(40, '[')).find("f.yaml"), std::string::npos);
  EXPECT_NE(ErrorOf(std::string(5000, '[')).find("f.yaml"), std::string::npos);
}

TEST(YamlTree, NumbersAreAllOfTheText) {
  EXPECT_EQ(ParseNumber("0.25"), 0.25);
  EXPECT_EQ(ParseNumber("-1e3"), -1000);
  for (const char* text : {"", "nan", ".nan", "inf", "1e999", "1,5", "0x10", "1 ", "$5"}) {
    EXPECT_FALSE(ParseNumber(text).has_value()) << text;
  }
}

TEST(YamlMapping, NamesTheFirstBadKey) {
  const auto root = ParseYaml("price: -1\ncount: 2.5\nextra: x\n", "f.yaml");
  ASSERT_TRUE(root.ok());
  YamlMapping in(root.value(), "f.yaml");
  in.Number("price", kPositive);
  in.Count("count");
  EXPECT_EQ(in.Finish().error().message,
            "f.yaml:1: \"price\" is \"-1\", must be above 0 and at most 1000000000000");
  YamlMapping count(root.value(), "f.yaml");
  count.Count("count");
  EXPECT_NE(count.Finish().error().message.find("whole"), std::string::npos);
  YamlMapping unknown(root.value(), "f.yaml");
  unknown.OptionalText("price");
  unknown.OptionalText("count");
  EXPECT_NE(unknown.Finish().error().message.find("f.yaml:3: unknown key \"extra\""),
            std::string::npos);
  YamlMapping missing(root.value(), "f.yaml");
  missing.Text("name");
  EXPECT_NE(missing.Finish().error().message.find("\"name\" is missing"), std::string::npos);
  YamlMapping wrong_kind(root.value(), "f.yaml");
  wrong_kind.Sequence("price", true);
  EXPECT_NE(wrong_kind.Finish().error().message.find("must be a list"), std::string::npos);
}

TEST(YamlMapping, DatesAreYearAndMonth) {
  for (const auto& [text, good] : {std::pair{"2026-07", true},
                                   {"2026-07-31", true},
                                   {"2026-13", false},
                                   {"2026", false},
                                   {"2026-07-00", false},
                                   {"07/2026", false},
                                   {"2026-07-3", false}}) {
    const auto root = ParseYaml(std::string("date: ") + text + "\n", "f");
    ASSERT_TRUE(root.ok());
    YamlMapping in(root.value(), "f");
    in.Date("date");
    EXPECT_EQ(in.Finish().ok(), good) << text;
  }
}

}  // namespace
}  // namespace glint::plan
