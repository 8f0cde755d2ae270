// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/format.h"
#include "base/text_table.h"
#include "eval/bench_model.h"

namespace glint::eval {
namespace {

Json OperationsJson(const BenchPart& part, const MachineRates& rates) {
  Json list(Json::Array{});
  for (const OperationTotal& total : part.operations) {
    Json one;
    one.Add("operation", total.cost.name);
    one.Add("calls", total.calls);
    one.Add("seconds", total.seconds);
    one.Add("limit_seconds", LimitSeconds(total.cost, rates));
    one.Add("bytes", total.cost.bytes);
    one.Add("f32_ops", total.cost.f32_ops);
    one.Add("int8_ops", total.cost.int8_ops);
    list.Append(std::move(one));
  }
  return list;
}

Json Each(const std::vector<double>& values) {
  Json list(Json::Array{});
  for (const double value : values) list.Append(value);
  return list;
}

std::string PartText(const char* title, const BenchPart& part, const MachineRates& rates) {
  TextTable table({title, "calls", "ms", "of all", "GB/s", "Gop/s", "of its limit"});
  double all = 0;
  for (const OperationTotal& total : part.operations) all += total.seconds;
  for (const OperationTotal& total : part.operations) {
    const OperationCost& cost = total.cost;
    const double limit = LimitSeconds(cost, rates);
    const auto rate = [&](double amount) {
      return amount > 0 ? format("{:.1f}", amount / total.seconds / 1e9) : std::string();
    };
    table.AddRow({cost.name, format("{}", total.calls), format("{:.2f}", total.seconds * 1e3),
                  format("{:.1f} %", 100 * total.seconds / all), rate(cost.bytes),
                  rate(cost.f32_ops + cost.int8_ops),
                  limit > 0 ? format("{:.0f} %", 100 * limit / total.seconds) : std::string()});
  }
  return table.Write();
}

}  // namespace

Json BenchModelJson(const BenchModelResult& result) {
  Json fraction;
  fraction.Add("prefill", result.prefill.limit_fraction);
  fraction.Add("decode", result.decode.limit_fraction);
  Json json;
  json.Add("prefill_tok_s", result.prefill.tok_s);
  json.Add("decode_tok_s", result.decode.tok_s);
  json.Add("limit_fraction", std::move(fraction));
  json.Add("batch", result.batch);
  json.Add("decode_bytes_per_step", result.bytes_per_step);
  json.Add("decode_bytes_per_token", result.bytes_per_step / static_cast<double>(result.batch));
  json.Add("read_gb_s", result.rates.read_bytes / 1e9);
  json.Add("f32_gop_s", result.rates.f32_ops / 1e9);
  json.Add("int8_gop_s", result.rates.int8_ops / 1e9);
  json.Add("prefill_tok_s_each", Each(result.prefill.tok_s_each));
  json.Add("decode_tok_s_each", Each(result.decode.tok_s_each));
  json.Add("prefill_operations", OperationsJson(result.prefill, result.rates));
  json.Add("decode_operations", OperationsJson(result.decode, result.rates));
  return json;
}

std::string OperationsText(const BenchModelResult& result) {
  return PartText("prefill", result.prefill, result.rates) + "\n" +
         PartText("decode", result.decode, result.rates);
}

}  // namespace glint::eval
