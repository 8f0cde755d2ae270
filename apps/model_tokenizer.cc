// SPDX-License-Identifier: Apache-2.0
#include "apps/model_tokenizer.h"

#include <limits>
#include <string>

#include "base/format.h"
#include "tensor/checkpoint.h"
#include "tensor/read_text_file.h"

namespace glint {
namespace {

constexpr std::int64_t kMaxTokenizerBytes = 1'000'000'000;

}  // namespace

Result<std::unique_ptr<const text::Tokenizer>> ReadModelTokenizer(const tensor::ModelFiles& files) {
  if (files.kind == tensor::ModelKind::kGgufFile) {
    GLINT_ASSIGN(const Json metadata, ReadGgufMetadata(files));
    return text::Tokenizer::ParseGguf(metadata, files.path.native());
  }
  if (!files.tokenizer) {
    return NotFound(format("{} has no tokenizer.json", files.path.native()));
  }
  GLINT_ASSIGN(const std::string json, tensor::ReadTextFile(*files.tokenizer, kMaxTokenizerBytes));
  return text::Tokenizer::Parse(json, files.tokenizer->native());
}

Result<Json> ReadGgufMetadata(const tensor::ModelFiles& files) {
  GLINT_ASSIGN(const tensor::Checkpoint checkpoint, tensor::Checkpoint::Open(files.path));
  return tensor::GgufMetadataJson(checkpoint.gguf_metadata(),
                                  std::numeric_limits<std::int64_t>::max());
}

}  // namespace glint
