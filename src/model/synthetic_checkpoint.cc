// SPDX-License-Identifier: Apache-2.0
#include "model/synthetic_checkpoint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/format.h"
#include "spec/config_parser.h"
#include "tensor/read_row.h"

namespace glint::model {
namespace {

// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014 (SplitMix64).
std::uint64_t Mix(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

// FNV-1a: the same on every machine, unlike std::hash.
std::uint64_t HashName(std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

struct Distribution {
  double centre = 0;
  double half_width = 0;
};

Distribution DistributionOf(const tensor::TensorSpec& spec) {
  const std::string_view name = spec.name;
  if (name.ends_with("e_score_correction_bias")) return {.centre = 11, .half_width = 0.1};
  if (name.ends_with(".bias")) return {.centre = 0, .half_width = 0.1};
  if (spec.shape.rank() == 1) return {.centre = 1, .half_width = 0.1};
  // A uniform number in [-w, w] has variance w^2 / 3.
  const auto columns = static_cast<double>(spec.shape.dim(spec.shape.rank() - 1));
  return {.centre = 0, .half_width = std::sqrt(3.0 / columns)};
}

Status WriteText(const std::filesystem::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) return Unavailable(format("{}: cannot be written", path.string()));
  return Ok();
}

}  // namespace

std::vector<tensor::TensorSpec> SyntheticTensors(const spec::ModelSpec& model) {
  std::vector<tensor::TensorSpec> specs;
  for (const spec::TensorGroup& group : spec::ListTensors(model)) {
    const bool f32 = group.role == spec::TensorRole::kRouterBias;
    for (std::int64_t copy = 0; copy < group.copies; ++copy) {
      specs.push_back({.name = group.NameOf(copy),
                       .dtype = f32 ? tensor::DType::kF32 : tensor::DType::kBF16,
                       .shape = group.is_vector() ? tensor::Shape{group.rows}
                                                  : tensor::Shape{group.rows, group.columns}});
    }
  }
  return specs;
}

void FillSynthetic(const tensor::TensorSpec& spec, std::uint64_t seed, std::byte* out) {
  const std::int64_t count = spec.shape.ElementCount();
  const Distribution distribution = DistributionOf(spec);
  const std::uint64_t stream = Mix(seed ^ HashName(spec.name));
  std::array<double, 256> values;
  for (std::int64_t begin = 0; begin < count; begin += std::ssize(values)) {
    const std::int64_t some = std::min<std::int64_t>(std::ssize(values), count - begin);
    for (std::int64_t i = 0; i < some; ++i) {
      const std::uint64_t bits = Mix(stream + static_cast<std::uint64_t>(begin + i));
      // [0, 1); the conversion of a signed number takes one instruction
      const double unit = static_cast<double>(static_cast<std::int64_t>(bits >> 11)) * 0x1p-53;
      values[static_cast<std::size_t>(i)] =
          distribution.centre + distribution.half_width * (2 * unit - 1);
    }
    tensor::StoreElements(spec.dtype, values.data(), some, out, begin);
  }
}

std::vector<std::byte> SyntheticBytes(const tensor::TensorSpec& spec, std::uint64_t seed) {
  const std::int64_t count = spec.shape.ElementCount();
  std::vector<std::byte> bytes(static_cast<std::size_t>(count * tensor::DTypeBytes(spec.dtype)));
  FillSynthetic(spec, seed, bytes.data());
  return bytes;
}

Status WriteSyntheticCheckpoint(std::string_view config_json, const std::filesystem::path& folder,
                                std::uint64_t seed) {
  GLINT_ASSIGN(const spec::ModelSpec model, spec::ParseConfig(config_json, "config.json"));
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) return Unavailable(format("{}: {}", folder.string(), failure.message()));
  GLINT_TRY(WriteText(folder / "config.json", config_json));
  const std::vector<tensor::TensorSpec> specs = SyntheticTensors(model);
  GLINT_ASSIGN(tensor::SafetensorsWriter writer,
               tensor::SafetensorsWriter::Create(folder / "model.safetensors", specs));
  for (const tensor::TensorSpec& spec : specs) {
    GLINT_TRY(writer.Append(SyntheticBytes(spec, seed)));
  }
  return writer.Finish();
}

}  // namespace glint::model
