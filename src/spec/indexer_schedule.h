// SPDX-License-Identifier: Apache-2.0
// Which layers select positions (full) and which reuse a selection (shared): IndexShare.
// Source: glm-architecture.md sections 1.1 and 2.7; arXiv:2603.12201.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/config_reader.h"
#include "spec/model_spec.h"

namespace glint::spec {

// The formula: layer i is full when max(i - offset + 1, 0) is a multiple of max(frequency, 1).
// Layer 0 is always full: there is nothing before it to share.
std::vector<IndexerRole> ScheduleByFormula(std::int64_t layers, std::int64_t frequency,
                                           std::int64_t offset);

// Fills the indexer role and selection layer of every layer of `model` (whose layers exist
// already). MTP layers are always full. Problems go to `reader`.
void ReadIndexerSchedule(ConfigReader& reader, ModelSpec& model);

}  // namespace glint::spec
