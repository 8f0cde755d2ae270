// SPDX-License-Identifier: Apache-2.0
#include "spec/indexer_schedule.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/format.h"

namespace glint::spec {
namespace {

constexpr std::int64_t kMostStep = std::int64_t{1} << 20;

std::optional<IndexerRole> ParseRole(std::string_view text) {
  if (text == "full" || text == "F") return IndexerRole::kFull;
  if (text == "shared" || text == "S") return IndexerRole::kShared;
  return std::nullopt;
}

// A list of words, or a string with a letter for each layer.
std::vector<std::string> Words(const Json& value) {
  std::vector<std::string> words;
  if (const std::string* letters = value.string()) {
    for (const char letter : *letters) words.emplace_back(1, letter);
  } else if (const Json::Array* items = value.array()) {
    for (const Json& item : *items) {
      words.push_back(item.string() != nullptr ? *item.string() : item.Write());
    }
  }
  return words;
}

std::vector<IndexerRole> ReadList(ConfigReader& reader, const char* key, const Json& value,
                                  std::size_t layers) {
  const std::vector<std::string> words = Words(value);
  std::vector<IndexerRole> roles(layers, IndexerRole::kFull);
  if (words.size() != layers) {
    reader.Problem(
        format("{} has {} entries, must have num_hidden_layers = {}", key, words.size(), layers));
    return roles;
  }
  for (std::size_t i = 0; i < layers; ++i) {
    const auto role = ParseRole(words[i]);
    if (!role) {
      reader.Problem(format("{}[{}] is {}, must be full or shared", key, i, Quoted(words[i])));
      return roles;
    }
    roles[i] = *role;
  }
  if (roles[0] != IndexerRole::kFull) {
    reader.Problem(format("{}[0] is shared, but no full layer stands before it", key));
  }
  return roles;
}

std::vector<IndexerRole> ReadRoles(ConfigReader& reader, std::int64_t layers) {
  for (const char* key : {"indexer_types", "index_topk_pattern"}) {
    if (const Json* list = reader.Find(key)) {
      return ReadList(reader, key, *list, static_cast<std::size_t>(layers));
    }
  }
  const std::int64_t frequency = reader.IntOr("index_topk_freq", 1, 0, kMostStep);
  const std::int64_t offset = reader.IntOr("index_skip_topk_offset", 2, 0, kMostStep);
  return ScheduleByFormula(layers, frequency, offset);
}

}  // namespace

std::vector<IndexerRole> ScheduleByFormula(std::int64_t layers, std::int64_t frequency,
                                           std::int64_t offset) {
  std::vector<IndexerRole> roles;
  for (std::int64_t i = 0; i < layers; ++i) {
    const std::int64_t step = std::max<std::int64_t>(i - offset + 1, 0);
    const bool full = i == 0 || step % std::max<std::int64_t>(frequency, 1) == 0;
    roles.push_back(full ? IndexerRole::kFull : IndexerRole::kShared);
  }
  return roles;
}

void ReadIndexerSchedule(ConfigReader& reader, ModelSpec& model) {
  const std::vector<IndexerRole> roles = ReadRoles(reader, model.TrunkLayers());
  std::int64_t last_full = 0;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (roles[i] == IndexerRole::kFull) last_full = static_cast<std::int64_t>(i);
    model.layers[i].indexer = roles[i];
    model.layers[i].selection_layer = last_full;
  }
  for (std::size_t i = 0; i < model.mtp_layers.size(); ++i) {
    model.mtp_layers[i].indexer = IndexerRole::kFull;
    model.mtp_layers[i].selection_layer = model.TrunkLayers() + static_cast<std::int64_t>(i);
  }
}

}  // namespace glint::spec
