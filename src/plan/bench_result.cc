// SPDX-License-Identifier: Apache-2.0
#include "plan/bench_result.h"

#include <cmath>
#include <fstream>
#include <iterator>

#include "base/format.h"
#include "base/json.h"
#include "plan/yaml_tree.h"

namespace glint::plan {
namespace {

// Reads members of one object; the first failure is kept, as in YamlMapping.
class Members {
 public:
  Members(const Json& json, std::string where) : json_(json), where_(std::move(where)) {}

  // 0 with a failure when the key is missing or not a number in [least, 1e12].
  double Number(std::string_view key, double least) {
    const std::optional<double> value = OptionalNumber(key, least);
    if (!value) Fail(key, "is missing");
    return value.value_or(0);
  }
  std::optional<double> OptionalNumber(std::string_view key, double least, double most = 1e12) {
    const Json* found = json_.Find(key);
    if (found == nullptr || found->is_null()) return std::nullopt;
    // vLLM's --metadata writes every value as text.
    const std::optional<double> value =
        found->string() != nullptr ? ParseNumber(*found->string()) : found->AsDouble();
    if (!value) {
      Fail(key, format("is {}, must be a number", found->TypeName()));
      return std::nullopt;
    }
    if (!std::isfinite(*value) || *value < least || *value > most) {
      Fail(key, format("is {}, must be {} to {}", *value, least, most));
    }
    return value;
  }
  std::string Text(std::string_view key) {
    const Json* found = json_.Find(key);
    if (found == nullptr || found->is_null()) return "";
    if (found->string() != nullptr) return *found->string();
    if (found->number() != nullptr) return found->number()->text;
    Fail(key, format("is {}, must be text", found->TypeName()));
    return "";
  }
  std::vector<std::string> Texts(std::string_view key) {
    const Json* found = json_.Find(key);
    if (found == nullptr || found->array() == nullptr) {
      std::string one = Text(key);
      return one.empty() ? std::vector<std::string>{} : std::vector<std::string>{std::move(one)};
    }
    std::vector<std::string> texts;
    texts.reserve(found->array()->size());
    for (const Json& item : *found->array()) {
      if (item.string() == nullptr) Fail(key, "must be a list of texts");
      if (item.string() != nullptr) texts.push_back(*item.string());
    }
    return texts;
  }
  void Fail(std::string_view key, std::string_view problem) {
    if (!error_) error_ = InvalidArgument(format("{}: {} {}", where_, Quoted(key), problem));
  }
  [[nodiscard]] Status Finish() const { return error_ ? Status(*error_) : Ok(); }

 private:
  const Json& json_;
  std::string where_;
  std::optional<Error> error_;
};

void ReadLatencies(const Json::Object& members, SpeedResult& result) {
  for (const auto& [key, value] : members) {
    if (!key.ends_with("_ms")) continue;
    const std::optional<double> number = value.AsDouble();
    if (number && std::isfinite(*number) && *number > 0) result.latencies_ms[key] = *number;
  }
}

Result<SpeedResult> ReadPoint(const Json& json, std::string_view file, std::string where) {
  if (json.object() == nullptr) {
    return InvalidArgument(format("{}: {}, must be an object", where, json.TypeName()));
  }
  Members in(json, std::move(where));
  SpeedResult result;
  result.name = std::string(file);
  result.title = "measured, " + std::string(file);
  result.machine = in.Text("machine");
  result.gpus = static_cast<std::int64_t>(in.OptionalNumber("gpus", 1, 1e6).value_or(0));
  result.model = in.Text("model_id");
  result.precision = in.Text("precision");
  result.workload = in.Text("workload");
  result.output_tok_per_s = in.Number("output_throughput", 1e-6);
  if (const auto total = in.OptionalNumber("total_token_throughput", 1e-6)) {
    if (*total < result.output_tok_per_s * (1 - 1e-9)) {
      in.Fail("total_token_throughput", "is below output_throughput");
    }
    const double input = *total - result.output_tok_per_s;
    if (input > 0) result.input_tok_per_s = input;
  }
  result.cached_input_share = in.OptionalNumber("cached_input_share", 0, 1);
  result.accuracy = in.Texts("accuracy");
  result.origin = {.date = in.Text("date"), .source = std::string(file), .note = ""};
  if (const auto completed = in.OptionalNumber("completed", 0); completed && *completed < 1) {
    in.Fail("completed", "is 0: nothing was measured");
  }
  if (const auto failed = in.OptionalNumber("failed", 0); failed && *failed > 0) {
    result.origin.note = format("{} requests failed", *failed);
  }
  ReadLatencies(*json.object(), result);
  GLINT_TRY(in.Finish());
  return result;
}

Result<std::vector<SpeedResult>> ReadLines(std::string_view text, std::string_view file) {
  std::vector<SpeedResult> points;
  int line = 0;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    ++line;
    if (one.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::string where = format("{}:{}", file, line);
    GLINT_ASSIGN(const Json json, ParseJson(one, where));
    GLINT_ASSIGN(SpeedResult point, ReadPoint(json, file, where));
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace

Result<LatencyTarget> ParseLatencyTarget(std::string_view text) {
  if (text.empty()) return LatencyTarget{};
  const std::size_t equals = text.find('=');
  const std::string_view key = text.substr(0, equals);
  std::optional<double> limit;
  if (equals != std::string_view::npos) limit = ParseNumber(text.substr(equals + 1));
  if (!limit || *limit <= 0 || !key.ends_with("_ms")) {
    return InvalidArgument(
        format("latency is {}, must be KEY_ms=LIMIT such as p95_ttft_ms=5000", Quoted(text)));
  }
  return LatencyTarget{.key = std::string(key), .most_ms = *limit};
}

Result<std::vector<SpeedResult>> ParseBenchResults(std::string_view text, std::string_view file) {
  std::vector<SpeedResult> points;
  const auto whole = ParseJson(text, file);
  if (!whole.ok()) {
    // One object a line is no JSON value; anything else fails again, with its line.
    GLINT_ASSIGN(points, ReadLines(text, file));
  } else if (const Json::Array* items = whole.value().array()) {
    points.reserve(items->size());
    for (std::size_t i = 0; i < items->size(); ++i) {
      GLINT_ASSIGN(SpeedResult point, ReadPoint((*items)[i], file, format("{}[{}]", file, i)));
      points.push_back(std::move(point));
    }
  } else {
    GLINT_ASSIGN(SpeedResult point, ReadPoint(whole.value(), file, std::string(file)));
    points.push_back(std::move(point));
  }
  if (points.empty()) return InvalidArgument(format("{}: holds no result", file));
  return points;
}

Result<std::vector<SpeedResult>> ReadBenchResults(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return NotFound(format("{}: cannot be opened", path));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return DataLoss(format("{}: cannot be read", path));
  return ParseBenchResults(text, path);
}

Result<SpeedResult> ChoosePoint(const std::vector<SpeedResult>& points, const LatencyTarget& target,
                                std::string_view file) {
  if (target.key.empty()) {
    if (points.size() == 1) return points.front();
    return InvalidArgument(format(
        "{}: {} results; --latency KEY_ms=LIMIT says which latency the one to price must keep",
        file, points.size()));
  }
  const SpeedResult* best = nullptr;
  for (const SpeedResult& point : points) {
    const auto found = point.latencies_ms.find(target.key);
    if (found == point.latencies_ms.end()) {
      return NotFound(format("{}: a result says nothing about {}", file, target.key));
    }
    if (found->second > target.most_ms) continue;
    if (best == nullptr || point.output_tok_per_s > best->output_tok_per_s) best = &point;
  }
  if (best == nullptr) {
    return NotFound(format("{}: no result keeps {} <= {} ms", file, target.key, target.most_ms));
  }
  SpeedResult chosen = *best;
  chosen.latency_target = format("{} <= {} ms", target.key, target.most_ms);
  return chosen;
}

}  // namespace glint::plan
