// SPDX-License-Identifier: Apache-2.0
#include "tests/golden_test/golden_case.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/check.h"
#include "base/json.h"
#include "device/cpu/cpu_device.h"
#include "kernels/operations_cpu.h"
#include "tensor/model_files.h"
#include "tensor/read_text_file.h"

namespace glint {
namespace {

constexpr std::int64_t kPageTokens = 4;
constexpr std::int64_t kPagesEach = 20;  // of a sequence
constexpr std::int64_t kSequences = 5;

const std::filesystem::path kGolden = GLINT_GOLDEN_FOLDER;

std::string Text(const std::filesystem::path& path) {
  return tensor::ReadTextFile(path, 1'000'000).value();
}

}  // namespace

std::vector<std::string> GoldenNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kGolden)) {
    if (entry.is_directory()) names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  GLINT_CHECK(!names.empty(), "golden data");
  return names;
}

std::filesystem::path GoldenFolder(const std::string& name) { return kGolden / name; }

std::vector<float> ReadNpy(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  GLINT_CHECK(bytes.starts_with(std::string_view("\x93NUMPY\x01\x00", 8)), path.string());
  GLINT_CHECK(bytes.find("'<f4'") != std::string::npos, path.string());
  const std::size_t header =
      10 + static_cast<unsigned char>(bytes[8]) + 256U * static_cast<unsigned char>(bytes[9]);
  std::vector<float> values((bytes.size() - header) / sizeof(float));
  std::memcpy(values.data(), bytes.data() + header, values.size() * sizeof(float));
  return values;
}

double RelativeError(std::span<const float> a, std::span<const float> b) {
  GLINT_CHECK(a.size() == b.size() && !b.empty(), "arrays of one size");
  double difference = 0;
  double size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double apart = static_cast<double>(a[i]) - b[i];
    difference += apart * apart;
    size += static_cast<double>(b[i]) * b[i];
  }
  return std::sqrt(difference / size);
}

GoldenCase::GoldenCase(const std::string& name, const GoldenOptions& options)
    : folder_(GoldenFolder(name)),
      options_(options),
      device_(device::MakeCpuDevice(options.threads)),
      loaded_(model::LoadFolder(
                  tensor::FindModelFiles(folder_.string()).value(), *device_,
                  {.dtype = options.dtype, .block_format = options.block_format, .progress = {}})
                  .value()) {
  const Json ids = ParseJson(Text(folder_ / "ids.json"), "ids.json").value();
  for (const Json& id : *ids.array()) ids_.push_back(static_cast<std::int32_t>(*id.AsInt()));
}

std::unique_ptr<model::Forward> GoldenCase::MakeForward() {
  return model::Forward::Create(loaded_.spec, *loaded_.store, *options_.operations, *device_,
                                {.cache = {.dtype = options_.dtype,
                                           .page_count = kPagesEach * kSequences,
                                           .page_tokens = kPageTokens},
                                 .max_rows = 256,
                                 .max_sequences = kSequences,
                                 .max_logit_rows = 256})
      .value();
}

model::BatchSequence GoldenCase::Sequence(std::int64_t number, std::int64_t first_position,
                                          std::span<const std::int32_t> ids,
                                          std::int64_t logit_rows) const {
  model::BatchSequence sequence{.first_position = first_position, .logit_rows = logit_rows};
  for (const std::int32_t id : ids) sequence.tokens.push_back(model::TokenSlot::Id(id));
  // Pages of different sequences alternate, and none are in order.
  for (std::int64_t page = kPagesEach - 1; page >= 0; --page) {
    sequence.pages.push_back(static_cast<PageId>(page * kSequences + number));
  }
  return sequence;
}

std::vector<float> GoldenCase::Logits(model::Forward& forward, std::span<const std::int32_t> ids,
                                      std::int64_t chunk, std::int64_t number) {
  std::vector<float> logits;
  const auto count = static_cast<std::int64_t>(ids.size());
  for (std::int64_t begin = 0; begin < count; begin += chunk) {
    const std::int64_t rows = std::min(chunk, count - begin);
    const auto part = ids.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(rows));
    const auto result = forward.Run({.sequences = {Sequence(number, begin, part, rows)}}).value();
    logits.insert(logits.end(), result.logits.begin(), result.logits.end());
  }
  return logits;
}

const kernels::OperationTable& ModelOnTable::operations() const {
  return isa ? kernels::CpuOperations(*isa) : kernels::ReferenceOperations();
}

void PrintTo(const ModelOnTable& one, std::ostream* out) {
  *out << one.model << " on " << one.operations().name;
}

std::vector<ModelOnTable> ModelsOnTables(bool with_reference) {
  std::vector<ModelOnTable> all;
  for (const std::string& model : GoldenNames()) {
    if (with_reference) all.push_back({model, std::nullopt});
    for (const kernels::Isa isa : kernels::kIsas) all.push_back({model, isa});
  }
  return all;
}

std::string ModelOnTableName(const testing::TestParamInfo<ModelOnTable>& info) {
  return info.param.model + "_" + info.param.operations().name;
}

void GoldenTest::SetUp() {
  const std::optional<kernels::Isa> isa = GetParam().isa;
  if (isa && !kernels::IsaRuns(*isa)) {
    GTEST_SKIP() << "this machine cannot run " << kernels::IsaName(*isa);
  }
}

}  // namespace glint
