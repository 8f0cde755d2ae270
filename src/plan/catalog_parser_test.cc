// SPDX-License-Identifier: Apache-2.0
#include "plan/catalog_parser.h"

#include <gtest/gtest.h>

namespace glint::plan {
namespace {

constexpr std::string_view kBook =
    "price_books:\n"
    "  - name: mine\n"
    "    title: My price\n"
    "    basis: rented\n"
    "    date: 2026-11\n"
    "    source: a quote\n"
    "    usd_per_gpu_hour: {b200: 5}\n";

std::string With(std::string_view from, std::string_view to) {
  std::string text(kBook);
  text.replace(text.find(from), from.size(), to);
  return text;
}

std::string ErrorOf(std::string_view text) {
  const auto catalog = ParseCatalog(text, "p.yaml");
  return catalog.ok() ? "" : catalog.error().message;
}

TEST(CatalogParser, BuiltInEntriesAreComplete) {
  const auto catalog = LoadCatalog({});
  ASSERT_TRUE(catalog.ok()) << catalog.error().message;
  EXPECT_EQ(catalog.value().machines.size(), 10U);
  const Machine& mi355x = *catalog.value().FindMachine("mi355x").value();
  EXPECT_EQ(mi355x.memory_gb, 288);
  EXPECT_EQ(FindPower(mi355x, PowerDefinition::kAllIn)->kw_per_gpu, 2.09);
  EXPECT_EQ(FindPower(mi355x, PowerDefinition::kFacility)->kw_per_gpu, 2.65);
  // Not in the registry: no all-in power, and no guess.
  EXPECT_EQ(FindPower(*catalog.value().FindMachine("mi350x").value(), PowerDefinition::kAllIn),
            nullptr);
  for (const PriceBook& book : catalog.value().price_books) {
    EXPECT_FALSE(book.origin.source.empty()) << book.name;
    EXPECT_FALSE(book.usd_per_gpu_hour.empty()) << book.name;
  }
  EXPECT_FALSE(catalog.value().FindMachine("mi999").ok());
}

TEST(CatalogParser, LaterEntriesTakeThePlaceOfEarlierOnes) {
  auto catalog = LoadCatalog({});
  ASSERT_TRUE(catalog.ok());
  Catalog mine = ParseCatalog(With("mine", "hyperstack-2026-07"), "p.yaml").value();
  const std::size_t before = catalog.value().price_books.size();
  catalog.value().Override(std::move(mine));
  EXPECT_EQ(catalog.value().price_books.size(), before);
  const PriceBook& book = *catalog.value().FindPriceBook("hyperstack-2026-07").value();
  EXPECT_EQ(book.usd_per_gpu_hour.at("b200"), 5);
}

TEST(CatalogParser, NamesFileLineAndKey) {
  EXPECT_EQ(ErrorOf(kBook), "");
  EXPECT_EQ(ErrorOf(With("{b200: 5}", "{b200: -5}")),
            "p.yaml:7: \"b200\" is \"-5\", must be above 0 and at most 1000000000000");
  for (const auto& [from, to, part] :
       {std::tuple{"{b200: 5}", "{b200: .nan}", "p.yaml:7: \"b200\""},
        {"{b200: 5}", "{b200: 1e999}", "p.yaml:7: \"b200\""},
        {"{b200: 5}", "{b200: 0}", "p.yaml:7: \"b200\""},
        {"{b200: 5}", "5", "p.yaml:7: \"usd_per_gpu_hour\" is a single value"},
        {"rented", "leased", "p.yaml:4: \"basis\""},
        {"2026-11", "last week", "p.yaml:5: \"date\""},
        {"source: a quote", "sauce: a quote", "\"source\" is missing"},
        {"    title", "    colour: red\n    title", "p.yaml:3: unknown key \"colour\""},
        {"price_books", "price_boks", "unknown key \"price_boks\""}}) {
    EXPECT_NE(ErrorOf(With(from, to)).find(part), std::string::npos) << ErrorOf(With(from, to));
  }
  const std::string twice = std::string(kBook) + std::string(kBook.substr(kBook.find("  -")));
  EXPECT_NE(ErrorOf(twice).find("\"mine\" twice"), std::string::npos);
}

TEST(CatalogParser, APriceOfNoMachineIsAnError) {
  Catalog catalog = ParseCatalog(kBook, "p.yaml").value();
  EXPECT_NE(catalog.CheckNames().error().message.find("b200"), std::string::npos);
}

}  // namespace
}  // namespace glint::plan
