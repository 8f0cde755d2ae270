// SPDX-License-Identifier: Apache-2.0
#include "model/internal/step_tables.h"

#include "base/format.h"

namespace glint::model {

Result<std::unique_ptr<StepTables>> StepTables::Create(const Limits& limits,
                                                       device::Device& device) {
  auto made = std::make_unique<StepTables>();
  made->limits_ = limits;
  const std::int64_t numbers = 3 * limits.rows + limits.sequences * limits.pages_per_sequence;
  GLINT_ASSIGN(made->memory_, device.Allocate(numbers * 4));
  for (auto& host : made->host_) host.resize(static_cast<std::size_t>(numbers));
  const auto* base = reinterpret_cast<const std::int32_t*>(made->memory_->data());
  made->tables_ = {.row_sequence = base,
                   .row_position = base + limits.rows,
                   .page_table = base + 3 * limits.rows,
                   .max_pages = limits.pages_per_sequence,
                   .page_tokens = limits.page_tokens};
  made->tokens_ = base + 2 * limits.rows;
  return made;
}

Status StepTables::CheckSequence(const BatchSequence& sequence, std::size_t index) const {
  const auto rows = static_cast<std::int64_t>(sequence.tokens.size());
  const auto pages = static_cast<std::int64_t>(sequence.pages.size());
  const std::int64_t room = pages * limits_.page_tokens;
  if (sequence.first_position < 0 || sequence.first_position + rows > room) {
    return InvalidArgument(format("sequence {}: positions {} to {}, its {} pages hold {}", index,
                                  sequence.first_position, sequence.first_position + rows - 1,
                                  pages, room));
  }
  if (pages > limits_.pages_per_sequence) {
    return InvalidArgument(
        format("sequence {}: {} pages, at most {}", index, pages, limits_.pages_per_sequence));
  }
  if (sequence.logit_rows < 0 || sequence.logit_rows > rows) {
    return InvalidArgument(
        format("sequence {}: logits of {} rows, it has {}", index, sequence.logit_rows, rows));
  }
  for (const PageId page : sequence.pages) {
    if (Number(page) < 0 || Number(page) >= limits_.page_count) {
      return InvalidArgument(
          format("sequence {}: page {}, there are {}", index, Number(page), limits_.page_count));
    }
  }
  return Ok();
}

Status StepTables::CheckTokens(const Batch& batch) const {
  for (std::size_t index = 0; index < batch.sequences.size(); ++index) {
    for (const TokenSlot& token : batch.sequences[index].tokens) {
      if (token.is_id() && token.id() >= limits_.vocab_size) {
        return InvalidArgument(format("sequence {}: token {}, must be an id below {}", index,
                                      token.id(), limits_.vocab_size));
      }
      if (!token.is_id() && token.sample_index() >= batch.samples.count) {
        return InvalidArgument(format("sequence {}: sample {} of a step in flight, it has {}",
                                      index, token.sample_index(), batch.samples.count));
      }
    }
  }
  return Ok();
}

Status StepTables::Check(const Batch& batch) const {
  if (batch.RowCount() == 0 || batch.RowCount() > limits_.rows) {
    return InvalidArgument(
        format("a batch of {} rows, must be 1 to {}", batch.RowCount(), limits_.rows));
  }
  if (static_cast<std::int64_t>(batch.sequences.size()) > limits_.sequences) {
    return InvalidArgument(
        format("a batch of {} sequences, at most {}", batch.sequences.size(), limits_.sequences));
  }
  std::int64_t logit_rows = 0;
  for (std::size_t index = 0; index < batch.sequences.size(); ++index) {
    GLINT_TRY(CheckSequence(batch.sequences[index], index));
    logit_rows += batch.sequences[index].logit_rows;
  }
  if (logit_rows > limits_.logit_rows) {
    return InvalidArgument(format("logits of {} rows, at most {}", logit_rows, limits_.logit_rows));
  }
  return CheckTokens(batch);
}

Status StepTables::Load(const Batch& batch, device::Stream& stream) {
  GLINT_TRY(Check(batch));
  std::vector<std::int32_t>& host = host_[turn_];
  turn_ = 1 - turn_;
  std::int32_t* sequence_of = host.data();
  std::int32_t* position_of = sequence_of + limits_.rows;
  std::int32_t* token_of = position_of + limits_.rows;
  std::int32_t* pages_of = token_of + limits_.rows;
  const auto copy = [&](const std::int32_t* from, std::int64_t count) {
    stream.Copy(memory_->data() + (from - host.data()) * 4, from, count * 4);
  };
  logit_rows_.clear();
  std::int64_t row = 0;
  for (std::size_t s = 0; s < batch.sequences.size(); ++s) {
    const BatchSequence& sequence = batch.sequences[s];
    std::int64_t position = sequence.first_position;
    for (const TokenSlot& token : sequence.tokens) {
      sequence_of[row] = static_cast<std::int32_t>(s);
      position_of[row] = static_cast<std::int32_t>(position++);
      token_of[row++] = token.bits();
    }
    for (std::int64_t back = sequence.logit_rows; back > 0; --back) {
      logit_rows_.push_back(row - back);
    }
    std::int32_t* pages = pages_of + static_cast<std::int64_t>(s) * limits_.pages_per_sequence;
    std::int64_t live = 0;
    for (const PageId page : sequence.pages) pages[live++] = Number(page);
    copy(pages, live);
  }
  for (const std::int32_t* rows : {sequence_of, position_of, token_of}) copy(rows, row);
  tables_.row_count = row;
  tables_.sequence_count = static_cast<std::int64_t>(batch.sequences.size());
  samples_ = batch.samples;
  return Ok();
}

}  // namespace glint::model
