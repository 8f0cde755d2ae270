// SPDX-License-Identifier: Apache-2.0
// One folder of tests/golden: a tiny checkpoint, a prompt and what transformers makes of it
// (tools/golden/README.md), loaded and ready to run.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.h"
#include "kernels/isa.h"
#include "kernels/operations.h"
#include "model/forward.h"
#include "model/loaded_model.h"

namespace glint {

// Names of the folders, sorted.
std::vector<std::string> GoldenNames();

// The folder of that name.
std::filesystem::path GoldenFolder(const std::string& name);

// Reads `<f4` values of an .npy file, whatever their shape. Test code: aborts on other files.
std::vector<float> ReadNpy(const std::filesystem::path& path);

// ||a - b|| / ||b|| in double; both of the same size.
double RelativeError(std::span<const float> a, std::span<const float> b);

struct GoldenOptions {
  tensor::DType dtype = tensor::DType::kF32;
  const kernels::OperationTable* operations = &kernels::ReferenceOperations();
  int threads = 2;
  std::optional<tensor::WeightFormat> block_format = std::nullopt;
};

class GoldenCase {
 public:
  explicit GoldenCase(const std::string& name, const GoldenOptions& options = {});

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] const std::vector<std::int32_t>& ids() const { return ids_; }
  [[nodiscard]] const spec::ModelSpec& model() const { return loaded_.spec; }
  [[nodiscard]] std::vector<float> Golden(const char* file) const {
    return ReadNpy(folder_ / file);
  }
  // Caches start empty.
  [[nodiscard]] std::unique_ptr<model::Forward> MakeForward();

  // Rows of one sequence: `ids` at first_position, on the pages that sequence `number` owns.
  [[nodiscard]] model::BatchSequence Sequence(std::int64_t number, std::int64_t first_position,
                                              std::span<const std::int32_t> ids,
                                              std::int64_t logit_rows) const;

  // Logits [ids, vocab] of sequence `number`, in chunks of `chunk` rows.
  std::vector<float> Logits(model::Forward& forward, std::span<const std::int32_t> ids,
                            std::int64_t chunk, std::int64_t number = 0);

 private:
  std::filesystem::path folder_;
  GoldenOptions options_;
  std::vector<std::int32_t> ids_;
  std::unique_ptr<device::Device> device_;
  model::LoadedModel loaded_;
};

// A golden model on the operations of an instruction set, or on the reference.
struct ModelOnTable {
  std::string model;
  std::optional<kernels::Isa> isa;

  [[nodiscard]] const kernels::OperationTable& operations() const;
};
void PrintTo(const ModelOnTable& one, std::ostream* out);

// Every model on the reference, where it is asked for, and on every instruction set.
std::vector<ModelOnTable> ModelsOnTables(bool with_reference);

std::string ModelOnTableName(const testing::TestParamInfo<ModelOnTable>& info);

// Skips a test whose instruction set this machine cannot run.
class GoldenTest : public testing::TestWithParam<ModelOnTable> {
 protected:
  void SetUp() override;
};

}  // namespace glint
