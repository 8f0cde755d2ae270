// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/bench_machine.h"

#include <algorithm>
#include <cstdio>
#include <thread>

#include "base/flags.h"
#include "base/format.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text_table.h"
#include "device/cpu/cpu_device.h"
#include "eval/read_bandwidth.h"

namespace glint {
namespace {

struct MachineFlags {
  std::int64_t threads = 0;
  std::int64_t runs = 9;
  std::int64_t megabytes = 1024;
  bool json = false;
  void Visit(FlagVisitor& visitor) {
    visitor.Flag(threads, "threads", "N", "the most threads to read with; 0: all processors");
    visitor.Flag(runs, "runs", "N", "passes over the buffer; the median counts");
    visitor.Flag(megabytes, "megabytes", "MB", "size of the buffer");
    visitor.Flag(json, "json", "", "print JSON");
  }
};

struct Row {
  std::int64_t threads = 0;
  double least = 0;
  double median = 0;
  double most = 0;
};

Result<std::vector<Row>> Measure(const MachineFlags& flags) {
  if (flags.threads < 0 || flags.threads > 1024 || flags.runs < 1 || flags.runs > 10000 ||
      flags.megabytes < 1) {
    return InvalidArgument("--threads must be 0 to 1024, --runs 1 to 10000, --megabytes above 0");
  }
  const auto device = device::MakeCpuDevice(1);
  if (flags.megabytes > device->properties().memory_bytes / 1'000'000) {
    return ResourceExhausted(format("--megabytes is {}, this machine has {}", flags.megabytes,
                                    device->properties().memory_bytes / 1'000'000));
  }
  GLINT_ASSIGN(eval::ReadBandwidth bandwidth,
               eval::ReadBandwidth::Create(*device, flags.megabytes * 1'000'000));
  const std::int64_t all = flags.threads > 0
                               ? flags.threads
                               : std::max<std::int64_t>(1, std::thread::hardware_concurrency());
  std::vector<Row> rows;
  for (std::int64_t threads = 1; threads <= all; threads = std::min(2 * threads, all)) {
    device::WorkerPool pool(static_cast<int>(threads));
    std::vector<double> rates(static_cast<std::size_t>(flags.runs));
    for (double& rate : rates) rate = bandwidth.Measure(pool);
    std::sort(rates.begin(), rates.end());
    rows.push_back({threads, rates.front(), rates[rates.size() / 2], rates.back()});
    if (threads == all) break;
  }
  return rows;
}

void Print(const std::vector<Row>& rows, bool json) {
  Json list(Json::Array{});
  TextTable table({"threads", "read GB/s", "least", "most"});
  for (const Row& row : rows) {
    Json one;
    one.Add("threads", row.threads);
    one.Add("read_gb_s", row.median / 1e9);
    one.Add("read_gb_s_least", row.least / 1e9);
    one.Add("read_gb_s_most", row.most / 1e9);
    list.Append(std::move(one));
    table.AddRow({format("{}", row.threads), format("{:.1f}", row.median / 1e9),
                  format("{:.1f}", row.least / 1e9), format("{:.1f}", row.most / 1e9)});
  }
  Json whole;
  whole.Add("memory", std::move(list));
  std::fputs(json ? (whole.WriteIndented() + "\n").c_str() : table.Write().c_str(), stdout);
}

}  // namespace

int RunBenchMachine(const std::vector<std::string>& arguments) {
  MachineFlags flags;
  const CommandText text{
      .name = "glint bench machine",
      .summary = "Reads a large buffer of memory: the limit of decoding on this machine.",
      .examples = "  glint bench machine\n  glint bench machine --threads 2 --json"};
  const FlagOutcome outcome = ParseFlags(text, arguments, flags);
  if (!outcome.run) {
    std::fputs(outcome.text.c_str(), outcome.exit_code == 0 ? stdout : stderr);
    return outcome.exit_code;
  }
  const auto rows = Measure(flags);
  if (!rows.ok()) {
    LogError(rows.error().message);
    return 1;
  }
  Print(rows.value(), flags.json);
  return 0;
}

}  // namespace glint
