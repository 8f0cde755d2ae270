// SPDX-License-Identifier: Apache-2.0
#include "eval/model_info.h"

#include <utility>

#include "base/format.h"
#include "base/text_table.h"
#include "spec/cache_plan.h"

namespace glint::eval {
namespace {

std::int64_t CountMoe(const spec::ModelSpec& model) {
  std::int64_t moe = 0;
  for (const spec::LayerSpec& layer : model.layers) {
    if (layer.mlp == spec::MlpKind::kMoe) ++moe;
  }
  return moe;
}

std::int64_t CountFull(const spec::ModelSpec& model) {
  std::int64_t full = 0;
  for (const spec::LayerSpec& layer : model.layers) {
    if (layer.indexer == spec::IndexerRole::kFull) ++full;
  }
  return full;
}

std::string LayersText(const spec::ModelSpec& model) {
  const std::int64_t moe = CountMoe(model);
  std::string text = format("{}: {} dense (width {})", model.TrunkLayers(),
                            model.TrunkLayers() - moe, WithThousands(model.dense_width));
  if (model.moe) text += format(" and {} MoE", moe);
  if (!model.mtp_layers.empty()) {
    text += format(", then {} MTP (speculative decoding)", model.mtp_layers.size());
  }
  return text;
}

std::string AttentionText(const spec::ModelSpec& model) {
  if (model.mla) {
    const spec::MlaSpec& mla = *model.mla;
    return format("latent (MLA), {} heads of {} + {} rope, v {}; ranks q {}, kv {}", model.heads,
                  mla.nope_dim, mla.rope_dim, mla.v_dim, mla.q_lora_rank, mla.kv_lora_rank);
  }
  const spec::GqaSpec& gqa = *model.gqa;
  return format("grouped (GQA), {} heads on {} kv heads of {}{}{}", model.heads, gqa.kv_heads,
                gqa.head_dim, gqa.qkv_bias ? ", qkv bias" : "", gqa.qk_norm ? ", q/k norm" : "");
}

std::string IndexerText(const spec::ModelSpec& model) {
  const spec::IndexerSpec& indexer = *model.indexer;
  const std::int64_t full = CountFull(model);
  return format("sparse (DSA), {} heads of {}, top {} positions; {} layers select, {} share",
                indexer.heads, indexer.head_dim, WithThousands(indexer.top_k), full,
                model.TrunkLayers() - full);
}

std::string MoeText(const spec::MoeSpec& moe) {
  std::string text = format("{} experts of width {}, {} a token", moe.experts,
                            WithThousands(moe.expert_width), moe.top_k);
  if (moe.shared_width > 0) {
    text += format(", and one shared of width {}", WithThousands(moe.shared_width));
  }
  return text;
}

std::string RopeText(const spec::RopeSpec& rope) {
  return format("theta {:g} on {} elements, {}", rope.theta, rope.width,
                rope.interleaved ? "interleaved" : "half-split");
}

std::string ShapeTable(const ModelInfo& info) {
  const spec::ModelSpec& model = info.spec;
  std::string text;
  const auto row = [&text](const char* label, const std::string& value) {
    text += format("  {:<11}{}\n", label, value);
  };
  row("layers", LayersText(model));
  row("hidden",
      format("{}; vocabulary {}{}", WithThousands(model.hidden_size),
             WithThousands(model.vocab_size), model.tied_embeddings ? ", tied embeddings" : ""));
  row("attention", AttentionText(model));
  if (model.indexer) row("indexer", IndexerText(model));
  if (model.moe) row("MoE", MoeText(*model.moe));
  row("rope", RopeText(model.rope));
  row("context", format("{} tokens", WithThousands(model.max_positions)));
  return text;
}

std::string ParameterTable(const spec::ParameterCounts& counts) {
  TextTable table({});
  const auto row = [&table](const char* label, std::int64_t count) {
    table.AddRow({label, WithThousands(count), HumanCount(static_cast<double>(count))});
  };
  row("parameters", counts.total);
  if (counts.trunk != counts.total) row("  without MTP", counts.trunk);
  row("  active per token", counts.active);
  return table.Write();
}

std::string FormatTable(const ModelInfo& info) {
  TextTable table({"format", "weights", "bytes", "of bf16", "read per token"});
  const auto bf16 = static_cast<double>(info.formats.front().bytes);
  for (const FormatBytes& one : info.formats) {
    const auto bytes = static_cast<double>(one.bytes);
    table.AddRow({spec::StorageFormatName(one.format), HumanBytes(bytes), WithThousands(one.bytes),
                  format("{:.1f} %", 100 * bytes / bf16),
                  HumanBytes(static_cast<double>(one.active_bytes))});
  }
  return table.Write();
}

std::string CacheText(const ModelInfo& info) {
  const auto line = [&info](const char* label, std::int64_t bytes) {
    const double all = static_cast<double>(bytes) * static_cast<double>(info.spec.max_positions);
    return format("  {:<11}{} bytes a token, {} at full context\n", label, WithThousands(bytes),
                  HumanBytes(all));
  };
  std::string text = line("cache bf16", info.cache_bytes_per_token);
  if (info.cache_bytes_per_token_fp8) text += line("cache fp8", *info.cache_bytes_per_token_fp8);
  return text;
}

constexpr std::size_t kMostNamesShown = 10;

std::string CheckpointText(const CheckpointInfo& checkpoint) {
  std::string text =
      format("\n  on disk    {} in {} tensors, {} file{}{}\n",
             HumanBytes(static_cast<double>(checkpoint.bytes)), WithThousands(checkpoint.tensors),
             checkpoint.shards, checkpoint.shards == 1 ? "" : "s",
             checkpoint.verified ? ", every byte read and finite" : "");
  for (const auto& [name, stored] : checkpoint.formats) {
    text += format("             {}: {} weights, {}\n", name, WithThousands(stored.weights),
                   HumanBytes(static_cast<double>(stored.bytes)));
  }
  if (checkpoint.unused.empty()) return text;
  text += format("  unused     {} tensors:\n",
                 WithThousands(static_cast<std::int64_t>(checkpoint.unused.size())));
  for (std::size_t i = 0; i < checkpoint.unused.size(); ++i) {
    if (i == kMostNamesShown) {
      text += "             ... (--json lists all)\n";
      break;
    }
    text += "             " + Quoted(checkpoint.unused[i], 120) + "\n";
  }
  return text;
}

Json CheckpointJson(const CheckpointInfo& checkpoint) {
  Json json;
  json.Add("bytes", checkpoint.bytes);
  json.Add("tensors", checkpoint.tensors);
  json.Add("files", checkpoint.shards);
  json.Add("verified", checkpoint.verified);
  Json formats(Json::Object{});
  for (const auto& [name, stored] : checkpoint.formats) {
    Json one;
    one.Add("weights", stored.weights);
    one.Add("bytes", stored.bytes);
    formats.Add(name, std::move(one));
  }
  json.Add("stored", std::move(formats));
  Json unused(Json::Array{});
  for (const std::string& name : checkpoint.unused) unused.Append(name);
  json.Add("unused", std::move(unused));
  Json warnings(Json::Array{});
  for (const std::string& warning : checkpoint.warnings) warnings.Append(warning);
  json.Add("warnings", std::move(warnings));
  return json;
}

Json ShapeJson(const spec::ModelSpec& model) {
  Json shape;
  shape.Add("layers", model.TrunkLayers());
  shape.Add("layers_moe", CountMoe(model));
  shape.Add("layers_mtp", static_cast<std::int64_t>(model.mtp_layers.size()));
  shape.Add("layers_full_indexer", CountFull(model));
  shape.Add("hidden_size", model.hidden_size);
  shape.Add("vocab_size", model.vocab_size);
  shape.Add("heads", model.heads);
  shape.Add("max_positions", model.max_positions);
  Json schedule(Json::Array{});
  for (const spec::LayerSpec& layer : model.layers) schedule.Append(layer.selection_layer);
  shape.Add("selection_layer", model.indexer ? std::move(schedule) : Json());
  return shape;
}

}  // namespace

ModelInfo DescribeModel(std::string name, const spec::ModelSpec& model) {
  ModelInfo info;
  info.name = std::move(name);
  info.spec = model;
  info.parameters = spec::CountParameters(model);
  info.cache_bytes_per_token = spec::CacheBytesPerToken(model);
  info.cache_bytes_per_token_fp8 = spec::CacheBytesPerTokenFp8(model);
  for (const spec::StorageFormat one : spec::AllStorageFormats()) {
    info.formats.push_back({one, spec::ModelBytes(model, one), spec::ActiveBytes(model, one)});
  }
  return info;
}

std::string WriteModelInfo(const ModelInfo& info) {
  return format("{} ({})\n\n", info.name, spec::ArchitectureName(info.spec.architecture)) +
         ParameterTable(info.parameters) + "\n" + ShapeTable(info) + "\n" + FormatTable(info) +
         "\n" + CacheText(info) + (info.checkpoint ? CheckpointText(*info.checkpoint) : "");
}

Json ModelInfoJson(const ModelInfo& info) {
  Json json;
  json.Add("model", info.name);
  json.Add("architecture", spec::ArchitectureName(info.spec.architecture));
  json.Add("parameters_total", info.parameters.total);
  json.Add("parameters_trunk", info.parameters.trunk);
  json.Add("parameters_active", info.parameters.active);
  json.Add("tensors", info.parameters.tensors);
  json.Add("cache_bytes_per_token", info.cache_bytes_per_token);
  json.Add("cache_bytes_per_token_fp8",
           info.cache_bytes_per_token_fp8 ? Json(*info.cache_bytes_per_token_fp8) : Json());
  Json bytes;
  Json active;
  for (const FormatBytes& one : info.formats) {
    bytes.Add(spec::StorageFormatName(one.format), one.bytes);
    active.Add(spec::StorageFormatName(one.format), one.active_bytes);
  }
  json.Add("bytes", std::move(bytes));
  json.Add("active_bytes", std::move(active));
  json.Add("shape", ShapeJson(info.spec));
  json.Add("checkpoint", info.checkpoint ? CheckpointJson(*info.checkpoint) : Json());
  return json;
}

}  // namespace glint::eval
