// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/bench_serve_flags.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <memory>

#include "apps/model_tokenizer.h"
#include "base/format.h"
#include "base/json.h"
#include "tensor/model_files.h"
#include "tensor/read_text_file.h"
#include "text/tokenizer.h"

namespace glint {
namespace {

constexpr double kSearchSeconds = 20;  // of one load of a search
constexpr std::int64_t kMostTokenizerBytes = 256'000'000;

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

template <typename T>
std::optional<T> ToNumber(std::string_view text) {
  T value{};
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<double> ParseRate(const std::string& text) {
  const auto rate = ToNumber<double>(text);
  if (rate && *rate > 0) return *rate;  // from_chars reads "inf"
  return InvalidArgument(format("--request-rate is {}, must be above 0, or inf", Quoted(text)));
}

Result<std::vector<double>> ParsePercentiles(const std::string& text) {
  std::vector<double> out;
  const auto parts = Split(text, ',');
  out.reserve(parts.size());
  for (const std::string_view part : parts) {
    const auto percent = ToNumber<double>(part);
    if (!percent || !(*percent > 0 && *percent <= 100)) {
      return InvalidArgument(
          format("--metric-percentiles has {}, must be above 0 to 100", Quoted(part)));
    }
    out.push_back(*percent);
  }
  return out;
}

Result<std::vector<std::pair<std::string, std::string>>> ParseMetadata(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> out;
  const auto parts = Split(text, ';');
  out.reserve(parts.size());
  for (const std::string_view part : parts) {
    const std::size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals);
    // Scripts pass every key that ends in `ms` or contains `tpot` to arithmetic.
    if (equals == part.npos || key.empty() || key.ends_with("ms") || key.find("tpot") != key.npos) {
      return InvalidArgument(
          format("--metadata has {}, must be KEY=VALUE, KEY not ending in ms", Quoted(part)));
    }
    out.emplace_back(key, part.substr(equals + 1));
  }
  return out;
}

Result<load::HttpTarget> MakeTarget(const BenchServeFlags& flags) {
  GLINT_ASSIGN(load::HttpTarget target, load::ParseBaseUrl(flags.base_url));
  if (!target.https && (!flags.ca_file.empty() || flags.insecure)) {
    return InvalidArgument(
        format("--ca-file and --insecure are for https, --base-url is {}", Quoted(flags.base_url)));
  }
  if (!flags.ca_file.empty() && flags.insecure) {
    return InvalidArgument("give one of --ca-file and --insecure");
  }
  target.api_key = flags.api_key;
  target.ca_file = flags.ca_file;
  target.insecure = flags.insecure;
  return target;
}

Result<load::ApiOptions> MakeApi(const BenchServeFlags& flags, const load::HttpTarget& target) {
  load::ApiOptions api{.chat = flags.endpoint == "chat",
                       .model = flags.model,
                       .temperature = flags.temperature,
                       .ignore_eos = flags.ignore_eos,
                       .extra = {}};
  if (!api.chat && flags.endpoint != "completions") {
    return InvalidArgument(
        format("--endpoint is {}, must be chat or completions", Quoted(flags.endpoint)));
  }
  if (!std::isfinite(flags.temperature) || flags.temperature < 0) {
    return InvalidArgument(format("--temperature is {}, must be 0 or more", flags.temperature));
  }
  if (!flags.extra_body.empty()) {
    GLINT_ASSIGN(api.extra, ParseJson(flags.extra_body, "--extra-body"));
  }
  if (api.model.empty()) {
    GLINT_ASSIGN(api.model, load::FirstModel(target));
  }
  return api;
}

Result<load::WorkloadOptions> MakeWorkload(const BenchServeFlags& flags) {
  load::WorkloadOptions workload{
      .requests = flags.num_prompts,
      .duration_s = flags.duration,
      .input_tokens = flags.sequence_length > 0 ? flags.sequence_length : flags.random_input_len,
      .output_tokens = flags.random_output_len,
      .range_ratio = flags.random_range_ratio,
      .prefix_share = flags.prefix_hit,
      .prefix_groups = flags.prefix_groups,
      .turns = static_cast<int>(std::clamp<std::int64_t>(flags.turns, 0, 1'000'000)),
      .cancel_share = flags.cancel_share,
      .seed = static_cast<std::uint64_t>(flags.seed),
      .trace_speed = flags.trace_speed};
  GLINT_ASSIGN(const double rate, ParseRate(flags.request_rate));
  const load::ArrivalOptions arrivals{.rate_per_s = rate,
                                      .burstiness = flags.burstiness,
                                      .constant = flags.constant,
                                      .seed = workload.seed};
  const bool open = !std::isinf(rate) || flags.find_rate_ttft || !flags.trace.empty();
  if (open) workload.arrivals = arrivals;
  if (!flags.trace.empty()) {
    GLINT_ASSIGN(workload.trace, load::ReadTrace(flags.trace));
  }
  return workload;
}

// What a search runs, and what ends a run that has no length.
Status SetGoal(const BenchServeFlags& flags, load::BenchOptions& out) {
  if (flags.find_rate_ttft && flags.find_concurrency_tpot) {
    return InvalidArgument("give one of --find-rate-ttft and --find-concurrency-tpot");
  }
  const bool search = flags.find_rate_ttft || flags.find_concurrency_tpot;
  if (search) {
    if (!flags.trace.empty()) return InvalidArgument("a search cannot replay a --trace");
    out.goal =
        flags.find_rate_ttft ? load::BenchGoal::kHighestRate : load::BenchGoal::kHighestConcurrency;
    out.limit_ms = flags.find_rate_ttft.value_or(flags.find_concurrency_tpot.value_or(0));
    out.percentile = flags.limit_percentile;
    if (!(out.percentile > 0 && out.percentile <= 100)) {
      return InvalidArgument(
          format("--limit-percentile is {}, must be above 0 to 100", flags.limit_percentile));
    }
    out.search = {.start = flags.search_start, .most = flags.search_most};
    if (flags.find_concurrency_tpot) out.workload.arrivals.reset();
    // The file that prices a search reads the statistic that was searched for.
    out.context.percentiles.push_back(out.percentile);
    std::sort(out.context.percentiles.begin(), out.context.percentiles.end());
    out.context.percentiles.erase(
        std::unique(out.context.percentiles.begin(), out.context.percentiles.end()),
        out.context.percentiles.end());
  }
  if (flags.max_concurrency < 0 || flags.batch_size < 0 || flags.sequence_length < 0) {
    return InvalidArgument(
        "--max-concurrency, --batch-size and --sequence-length must be 0 or more");
  }
  const bool open = out.workload.arrivals.has_value();
  out.run.max_concurrency = flags.batch_size > 0 ? flags.batch_size : flags.max_concurrency;
  if (!open && out.run.max_concurrency == 0) out.run.max_concurrency = 1;
  if (out.workload.requests == 0 && out.workload.duration_s == 0 && out.workload.trace.empty()) {
    if (search) {
      out.workload.duration_s = kSearchSeconds;
    } else {
      out.workload.requests = open ? 100 : 10 * out.run.max_concurrency;
    }
  }
  return Ok();
}

Result<std::unique_ptr<const text::Tokenizer>> ReadTokenizer(const std::string& name) {
  if (name.ends_with(".json")) {
    GLINT_ASSIGN(const std::string json, tensor::ReadTextFile(name, kMostTokenizerBytes));
    return text::Tokenizer::Parse(json, name);
  }
  GLINT_ASSIGN(const tensor::ModelFiles files, tensor::FindModelFiles(name));
  return ReadModelTokenizer(files);
}

}  // namespace

void BenchServeFlags::Visit(FlagVisitor& v) {
  v.Flag(base_url, "base-url", "URL", "the server, http or https");
  v.Flag(ca_file, "ca-file", "FILE", "https: certificates to trust, PEM; default: the system's");
  v.Flag(insecure, "insecure", "", "https: do not verify the certificate");
  v.Flag(endpoint, "endpoint", "chat|completions", "which API; completions takes token ids");
  v.Flag(model, "model", "NAME", "default: the first that the server lists");
  v.Flag(api_key, "api-key", "KEY", "sent as a bearer token");
  v.Flag(tokenizer, "tokenizer", "FILE|MODEL", "the server's, for prompts of exact token counts");
  v.Flag(token_ids, "token-ids", "LOW:HIGH", "completions without a tokenizer: ids to draw from");
  v.Flag(extra_body, "extra-body", "JSON", "members added to every request");
  v.Flag(temperature, "temperature", "T", "of sampling");
  v.Flag(ignore_eos, "ignore-eos", "", "ask for exactly the output length");
  v.Flag(request_rate, "request-rate", "REQ/S", "open loop; inf: closed loop");
  v.Flag(burstiness, "burstiness", "SHAPE", "gamma arrivals; 1 is Poisson, below 1 burstier");
  v.Flag(constant, "constant", "", "open loop with equal gaps");
  v.Flag(max_concurrency, "max-concurrency", "N", "closed loop: streams (0: 1); open loop: limit");
  v.Flag(num_prompts, "num-prompts", "N", "requests; 0: until --duration, or 10 x concurrency");
  v.Flag(duration, "duration", "S", "no request starts later; 0: no limit");
  v.Flag(random_input_len, "random-input-len", "TOKENS", "of a prompt");
  v.Flag(random_output_len, "random-output-len", "TOKENS", "of an answer, at most");
  v.Flag(random_range_ratio, "random-range-ratio", "0..1", "lengths in [ratio x len, len]");
  v.Flag(prefix_hit, "prefix-hit", "0..1", "share of a prompt that its group shares");
  v.Flag(prefix_groups, "prefix-groups", "N", "different shared prefixes");
  v.Flag(turns, "turns", "N", "of a conversation; each repeats what was said");
  v.Flag(turn_gap, "turn-gap", "S", "between an answer and the next turn");
  v.Flag(trace, "trace", "FILE", "replay: Azure 2023 CSV or Mooncake JSONL");
  v.Flag(trace_speed, "trace-speed", "FACTOR", "2: twice as fast");
  v.Flag(cancel_share, "cancel-share", "0..1", "share of requests closed half way");
  v.Flag(seed, "seed", "N", "of lengths, prompts and arrivals");
  v.Flag(num_warmups, "num-warmups", "N", "requests before the measurement");
  v.Flag(find_rate_ttft, "find-rate-ttft", "MS", "search the highest rate with TTFT below");
  v.Flag(find_concurrency_tpot, "find-concurrency-tpot", "MS",
         "search the highest concurrency with TPOT below");
  v.Flag(limit_percentile, "limit-percentile", "P", "of the latency that a search limits");
  v.Flag(search_start, "search-start", "LOAD", "first rate or concurrency of a search");
  v.Flag(search_most, "search-most", "LOAD", "highest rate or concurrency of a search");
  v.Flag(batch_size, "batch-size", "N", "short for --max-concurrency");
  v.Flag(sequence_length, "sequence-length", "TOKENS", "short for --random-input-len");
  v.Flag(goodput, "goodput", "LIMITS", "count requests within \"ttft:500 tpot:50 e2el:9000\" (ms)");
  v.Flag(metric_percentiles, "metric-percentiles", "LIST", "of every latency");
  v.Flag(timeout, "timeout", "S", "of one request");
  v.Flag(threads, "threads", "N", "event loops of the client");
  v.Flag(metadata, "metadata", "K=V;K=V", "into the result: machine, gpus, precision, accuracy");
  v.Flag(save_detailed, "save-detailed", "", "per-request arrays in the result too");
  v.Flag(result_file, "result-file", "FILE", "vLLM's JSON; a search writes one object a line");
  v.Flag(records_file, "records-file", "FILE", "AIPerf's JSON line for each request");
  v.Flag(html, "html", "FILE", "one self-contained HTML report");
  v.Flag(json, "json", "", "print the result as JSON");
}

Result<load::BenchOptions> MakeBenchOptions(const BenchServeFlags& flags) {
  load::BenchOptions out;
  GLINT_ASSIGN(out.slo, load::ParseSlo(flags.goodput));
  GLINT_ASSIGN(out.context.percentiles, ParsePercentiles(flags.metric_percentiles));
  GLINT_ASSIGN(out.context.metadata, ParseMetadata(flags.metadata));
  GLINT_ASSIGN(out.workload, MakeWorkload(flags));
  GLINT_TRY(SetGoal(flags, out));
  if (!(flags.timeout > 0 && flags.timeout <= 1e6)) {
    return InvalidArgument(format("--timeout is {}, must be above 0 to 1e6", flags.timeout));
  }
  if (!(flags.turn_gap >= 0 && flags.turn_gap <= 1e6)) {
    return InvalidArgument(format("--turn-gap is {}, must be 0 to 1e6", flags.turn_gap));
  }
  const auto nanoseconds = [](double seconds) {
    return std::chrono::nanoseconds(std::llround(seconds * 1e9));
  };
  out.run.timeout = nanoseconds(flags.timeout);
  out.run.turn_gap = nanoseconds(flags.turn_gap);
  out.run.threads = static_cast<int>(std::clamp<std::int64_t>(flags.threads, 0, 1000));
  out.run.keep_text = flags.save_detailed;
  out.context.detailed = flags.save_detailed;
  out.context.tokenizer = flags.tokenizer;
  out.warmup_requests = flags.num_warmups;
  GLINT_ASSIGN(out.run.target, MakeTarget(flags));
  GLINT_ASSIGN(out.run.api, MakeApi(flags, out.run.target));
  out.context.model = out.run.api.model;
  out.context.backend = out.run.api.chat ? "openai-chat" : "openai";
  return out;
}

Result<load::Vocabulary> MakeVocabulary(const BenchServeFlags& flags, bool& exact) {
  exact = true;
  if (!flags.tokenizer.empty()) {
    GLINT_ASSIGN(const auto tokenizer, ReadTokenizer(flags.tokenizer));
    return load::Vocabulary::OfTokenizer(*tokenizer);
  }
  if (flags.endpoint == "chat") {
    exact = false;
    return load::Vocabulary::OfWords();
  }
  const std::size_t colon = flags.token_ids.find(':');
  const auto low = ToNumber<std::int32_t>(std::string_view(flags.token_ids).substr(0, colon));
  const auto high =
      colon == std::string::npos
          ? std::nullopt
          : ToNumber<std::int32_t>(std::string_view(flags.token_ids).substr(colon + 1));
  if (!low || !high) {
    return InvalidArgument(format("--token-ids is {}, must be LOW:HIGH", Quoted(flags.token_ids)));
  }
  return load::Vocabulary::OfIds(*low, *high);
}

}  // namespace glint
