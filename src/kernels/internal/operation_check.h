// SPDX-License-Identifier: Apache-2.0
// What the argument checks of the sequence operations (caches, attention, sampling) share.
//
// Only what the host knows is checked: sizes, dtypes and null pointers, never the content of a
// table, which may lie on a device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/format.h"
#include "base/result.h"
#include "kernels/activation.h"
#include "kernels/batch_tables.h"
#include "tensor/weight_view.h"

namespace glint::kernels {

// Collects the first failure of one operation's arguments; messages start "OPERATION: NAME".
class OperationCheck {
 public:
  explicit OperationCheck(const char* operation) : operation_(operation) {}

  template <typename... Values>
  void That(bool holds, fmt::format_string<Values...> message, Values&&... values) {
    if (holds || error_.has_value()) return;
    error_ = format("{}: {}", operation_, format(message, std::forward<Values>(values)...));
  }

  void Positive(const char* name, std::int64_t value);
  void Present(const char* name, const void* pointer, std::int64_t rows);  // null needs no rows
  void Tables(const BatchTables& tables);
  // F32 or BF16, `rows` x `columns`, rows not overlapping.
  void Rows(const char* name, const Activation& activation, std::int64_t rows,
            std::int64_t columns);
  // A norm's weight or bias: plain, [rows, 1].
  void Vector(const char* name, const tensor::WeightView& weight, std::int64_t rows);
  void Matrix(const char* name, const tensor::WeightView& weight, std::int64_t rows,
              std::int64_t columns);
  // F32 or BF16, the tables' page size.
  void Cache(const char* name, const CacheView& cache, const BatchTables& tables,
             std::int64_t width);
  void Rope(const RopeView& rope, std::int64_t most);
  void Epsilon(float epsilon);  // > 0
  void Scale(float scale);      // > 0, finite

  [[nodiscard]] Status status() const;

 private:
  const char* operation_;
  std::optional<std::string> error_;
};

}  // namespace glint::kernels
