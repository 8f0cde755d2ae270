// SPDX-License-Identifier: Apache-2.0
// --isa: which implementations of the operations a command computes with.
#pragma once

#include <string_view>

#include "base/result.h"
#include "kernels/operations.h"

namespace glint::eval {

// "auto": the best that this machine runs; a set by its name (kernels/isa.h); "reference": slow,
// the oracle. kInvalidArgument for other names and for a set that this machine cannot run.
Result<const kernels::OperationTable*> ChooseOperations(std::string_view isa);

}  // namespace glint::eval
