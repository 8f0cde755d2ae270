// SPDX-License-Identifier: Apache-2.0
#include "plan/catalog_parser.h"

#include <fstream>
#include <iterator>
#include <set>
#include <span>

#include "base/embedded_file.h"
#include "base/format.h"
#include "plan/yaml_tree.h"

namespace glint::plan {

// Made by glint_embed from src/plan/catalog/*.yaml.
std::span<const EmbeddedFile> EmbeddedCatalog();

namespace {

using Sources = std::map<std::string, std::string, std::less<>>;

struct Context {
  std::string_view file;
  Sources sources;
};

Origin ReadOrigin(YamlMapping& in, const Context& context) {
  Origin origin{
      .date = in.Date("date"), .source = in.Text("source"), .note = in.OptionalText("note")};
  const auto named = context.sources.find(origin.source);
  if (named != context.sources.end()) origin.source = named->second;
  return origin;
}

// Reads the items of a list with `read_one(item, context) -> Result<Entry>`.
template <typename Entry, typename ReadOne>
Result<std::vector<Entry>> ReadList(const YamlNode* list, const Context& context,
                                    ReadOne read_one) {
  std::vector<Entry> entries;
  if (list == nullptr) return entries;
  entries.reserve(list->items.size());
  for (const YamlNode& item : list->items) {
    GLINT_ASSIGN(Entry entry, read_one(item, context));
    entries.push_back(std::move(entry));
  }
  return entries;
}

// A list of a mapping, its failure kept by the mapping's reader.
template <typename Entry, typename ReadOne>
std::vector<Entry> ReadMember(YamlMapping& in, std::string_view key, bool required,
                              const Context& context, ReadOne read_one) {
  auto entries = ReadList<Entry>(in.Sequence(key, required), context, read_one);
  if (entries.ok()) return std::move(entries).value();
  in.Fail(entries.error());
  return {};
}

std::map<std::string, double, std::less<>> ReadNumbers(YamlMapping& in, std::string_view key,
                                                       bool required, const Context& context) {
  std::map<std::string, double, std::less<>> numbers;
  const YamlNode* node = in.Mapping(key, required);
  if (node == nullptr) return numbers;
  YamlMapping values(*node, context.file);
  for (const auto& [name, value] : node->members) numbers[name] = values.Number(name, kPositive);
  if (const Status status = values.Finish(); !status.ok()) in.Fail(status.error());
  return numbers;
}

Result<PowerFigure> ReadPower(const YamlNode& node, const Context& context) {
  YamlMapping in(node, context.file);
  PowerFigure figure;
  const std::string definition = in.Text("definition");
  if (const auto found = FindPowerDefinition(definition)) {
    figure.definition = *found;
  } else {
    in.Fail("definition", format("is {}, must be chip, all-in or facility", Quoted(definition)));
  }
  figure.kw_per_gpu = in.Number("kw", kPositive);
  figure.origin = ReadOrigin(in, context);
  GLINT_TRY(in.Finish());
  return figure;
}

Result<Machine> ReadMachine(const YamlNode& node, const Context& context) {
  YamlMapping in(node, context.file);
  Machine machine;
  machine.name = in.Text("name");
  machine.title = in.Text("title");
  machine.gpus_per_node = in.Count("gpus_per_node");
  machine.domain_gpus = in.Count("domain_gpus");
  machine.memory_gb = in.Number("memory_gb", kPositive);
  machine.memory_tb_per_s = in.Number("memory_tb_per_s", kPositive);
  machine.bf16_tflops = in.Number("bf16_tflops", kPositive);
  machine.fp8_tflops = in.Number("fp8_tflops", kPositive);
  machine.fp4_tflops = in.OptionalNumber("fp4_tflops", kPositive);
  machine.scale_up_gb_per_s = in.OptionalNumber("scale_up_gb_per_s", kPositive);
  machine.power = ReadMember<PowerFigure>(in, "power", false, context, ReadPower);
  machine.origin = ReadOrigin(in, context);
  GLINT_TRY(in.Finish());
  return machine;
}

Result<PriceBook> ReadPriceBook(const YamlNode& node, const Context& context) {
  YamlMapping in(node, context.file);
  PriceBook book;
  book.name = in.Text("name");
  book.title = in.Text("title");
  const std::string basis = in.Text("basis");
  if (basis != "owned" && basis != "rented") {
    in.Fail("basis", format("is {}, must be owned or rented", Quoted(basis)));
  }
  book.basis = basis == "owned" ? PriceBasis::kOwned : PriceBasis::kRented;
  book.usd_per_gpu_hour = ReadNumbers(in, "usd_per_gpu_hour", true, context);
  book.origin = ReadOrigin(in, context);
  GLINT_TRY(in.Finish());
  return book;
}

Result<std::string> ReadLine(const YamlNode& node, const Context& context) {
  if (node.kind == YamlNode::Kind::kScalar && !node.text.empty()) return node.text;
  return InvalidArgument(format("{}:{}: must be text", context.file, node.line));
}

Result<SpeedResult> ReadResult(const YamlNode& node, const Context& context) {
  YamlMapping in(node, context.file);
  SpeedResult result;
  result.name = in.Text("name");
  result.title = in.Text("title");
  result.machine = in.Text("machine");
  result.gpus = in.Count("gpus");
  result.model = in.Text("model");
  result.precision = in.Text("precision");
  result.workload = in.Text("workload");
  result.latency_target = in.OptionalText("latency_target");
  result.output_tok_per_s = in.Number("output_tok_per_s", kPositive);
  const auto requests_per_s = in.OptionalNumber("requests_per_s", kPositive);
  const auto input_per_request = in.OptionalNumber("input_tokens_per_request", kPositive);
  if (requests_per_s && input_per_request) {
    result.input_tok_per_s = *requests_per_s * *input_per_request;
  }
  result.cached_input_share = in.OptionalNumber("cached_input_share", {.most = 1});
  result.latencies_ms = ReadNumbers(in, "latencies_ms", false, context);
  result.accuracy = ReadMember<std::string>(in, "accuracy", false, context, ReadLine);
  result.origin = ReadOrigin(in, context);
  GLINT_TRY(in.Finish());
  return result;
}

Result<PricePair> ReadPricePair(const YamlNode& node, const Context& context) {
  YamlMapping in(node, context.file);
  PricePair pair{.a = in.Text("a"), .b = in.Text("b")};
  GLINT_TRY(in.Finish());
  return pair;
}

Result<Comparison> ReadComparison(const YamlNode& node, const Context& context) {
  YamlMapping in(node, context.file);
  Comparison comparison{
      .name = in.Text("name"), .title = in.Text("title"), .a = in.Text("a"), .b = in.Text("b")};
  comparison.price_pairs = ReadMember<PricePair>(in, "price_pairs", true, context, ReadPricePair);
  GLINT_TRY(in.Finish());
  return comparison;
}

Result<Fleet::Card> ReadCard(const YamlNode& node, const Context& context) {
  YamlMapping in(node, context.file);
  Fleet::Card card{
      .name = in.Text("name"),
      .price = in.Number("price", kZeroOrMore),
      .power_w = in.Number("power_w", kPositive),
      .circulating_energy_cost = in.OptionalNumber("circulating_energy_cost", kPositive)};
  GLINT_TRY(in.Finish());
  return card;
}

Result<Fleet> ReadFleet(const YamlNode& node, const Context& context) {
  YamlMapping in(node, context.file);
  Fleet fleet;
  fleet.name = in.Text("name");
  fleet.title = in.Text("title");
  fleet.nodes = in.Count("nodes");
  fleet.years = in.Number("years", {.most = 100, .open = true});
  fleet.currency = in.Text("currency");
  fleet.cards = ReadMember<Fleet::Card>(in, "cards", true, context, ReadCard);
  fleet.origin = ReadOrigin(in, context);
  GLINT_TRY(in.Finish());
  return fleet;
}

Result<Sources> ReadSources(const YamlNode* node, std::string_view file) {
  Sources sources;
  if (node == nullptr) return sources;
  YamlMapping in(*node, file);
  for (const auto& [name, value] : node->members) sources[name] = in.Text(name);
  GLINT_TRY(in.Finish());
  return sources;
}

template <typename Entry>
void CheckUnique(YamlMapping& in, std::string_view key, const std::vector<Entry>& entries) {
  std::set<std::string_view> names;
  for (const Entry& entry : entries) {
    if (!names.insert(entry.name).second) {
      in.Fail(key, format("has {} twice", Quoted(entry.name)));
    }
  }
}

Result<std::string> ReadWholeFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return NotFound(format("{}: cannot be opened", path));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return DataLoss(format("{}: cannot be read", path));
  return text;
}

}  // namespace

Result<Catalog> ParseCatalog(std::string_view text, std::string_view file) {
  GLINT_ASSIGN(const YamlNode root, ParseYaml(text, file));
  YamlMapping in(root, file);
  Context context{.file = file, .sources = {}};
  GLINT_ASSIGN(context.sources, ReadSources(in.Mapping("sources", false), file));
  Catalog catalog;
  catalog.machines = ReadMember<Machine>(in, "machines", false, context, ReadMachine);
  catalog.price_books = ReadMember<PriceBook>(in, "price_books", false, context, ReadPriceBook);
  catalog.results = ReadMember<SpeedResult>(in, "results", false, context, ReadResult);
  catalog.comparisons = ReadMember<Comparison>(in, "comparisons", false, context, ReadComparison);
  catalog.fleets = ReadMember<Fleet>(in, "fleets", false, context, ReadFleet);
  CheckUnique(in, "machines", catalog.machines);
  CheckUnique(in, "price_books", catalog.price_books);
  CheckUnique(in, "results", catalog.results);
  CheckUnique(in, "comparisons", catalog.comparisons);
  CheckUnique(in, "fleets", catalog.fleets);
  GLINT_TRY(in.Finish());
  return catalog;
}

Result<Catalog> LoadCatalog(const std::vector<std::string>& paths) {
  Catalog catalog;
  for (const EmbeddedFile& file : EmbeddedCatalog()) {
    GLINT_ASSIGN(Catalog entries, ParseCatalog(file.bytes, file.name));
    catalog.Override(std::move(entries));
  }
  for (const std::string& path : paths) {
    GLINT_ASSIGN(const std::string text, ReadWholeFile(path));
    GLINT_ASSIGN(Catalog entries, ParseCatalog(text, path));
    catalog.Override(std::move(entries));
  }
  GLINT_TRY(catalog.CheckNames());
  return catalog;
}

}  // namespace glint::plan
