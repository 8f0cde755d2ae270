// SPDX-License-Identifier: Apache-2.0
#include "kernels/embedding/embedding.h"

#include <array>

#include "base/format.h"
#include "kernels/argument_checks.h"

namespace glint::kernels {

Status CheckEmbeddingArgs(const EmbeddingArgs& args) {
  constexpr std::string_view kOperation = "embedding";
  const std::int64_t rows = args.tables.row_count;
  GLINT_TRY(CheckPointer({kOperation, "tokens"}, args.tokens));
  if (args.sample_count < 0) {
    return InvalidArgument(
        format("embedding: sample_count is {}, must be >= 0", args.sample_count));
  }
  if (args.sample_count > 0) GLINT_TRY(CheckPointer({kOperation, "samples"}, args.samples));
  GLINT_TRY(CheckWeight({kOperation, "table"}, args.table, args.table.rows, args.table.columns));
  GLINT_TRY(CheckActivation({kOperation, "out"}, args.out, rows, args.table.columns));
  const std::array written = {BlockOf("out", args.out)};
  const std::array read = {BlockOf("tokens", args.tokens, rows * 4),
                           BlockOf("samples", args.samples, args.sample_count * 4),
                           BlockOf("table", args.table.data.data, args.table.data.ByteCount())};
  return CheckDisjoint(kOperation, written, read);
}

}  // namespace glint::kernels
