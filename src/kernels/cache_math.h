// SPDX-License-Identifier: Apache-2.0
// Where a token of a sequence lies in a page pool. All devices share this.
#pragma once

#include <cstdint>

#include "kernels/batch_tables.h"
#include "kernels/host_device.h"

namespace glint::kernels {

// The token slot of a logical position: page * page_tokens + token in page. Element e of the token
// is element slot * width + e of the CacheView. `position` is below the sequence's length.
GLINT_HD std::int64_t CacheSlot(const BatchTables& tables, std::int64_t sequence,
                                std::int64_t position) {
  const std::int64_t page =
      tables.page_table[sequence * tables.max_pages + position / tables.page_tokens];
  return page * tables.page_tokens + position % tables.page_tokens;
}

}  // namespace glint::kernels
