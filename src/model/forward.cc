// SPDX-License-Identifier: Apache-2.0
// Building a forward pass, and the order of its parts. The parts are forward_layer.cc.
#include "model/forward.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "kernels/rope/rope.h"
#include "model/internal/forward_buffers.h"
#include "model/internal/step_tables.h"
#include "tensor/read_row.h"

namespace glint::model {
namespace {

kernels::ExpertView ExpertOf(const Lease& lease) {
  return {.gate = lease.Get(WeightSlot::kGate),
          .up = lease.Get(WeightSlot::kUp),
          .down = lease.Get(WeightSlot::kDown)};
}

bool HasInterleaved(const Lease& lease) {
  const auto weights = lease.weights();
  return std::any_of(weights.begin(), weights.end(), [](const SlottedWeight& weight) {
    return weight.view.layout == tensor::WeightLayout::kInterleaved8;
  });
}

Status CheckOptions(const ForwardOptions& options) {
  if (options.max_rows <= 0 || options.max_sequences <= 0 || options.max_logit_rows <= 0) {
    return InvalidArgument(
        format("batches of {} rows, {} sequences, {} logit rows: all must be "
               "above 0",
               options.max_rows, options.max_sequences, options.max_logit_rows));
  }
  return Ok();
}

}  // namespace

Forward::Forward(const spec::ModelSpec& model, const kernels::OperationTable& operations,
                 const ForwardOptions& options)
    : model_(model), operations_(operations), options_(options) {}

Forward::~Forward() = default;

Result<std::unique_ptr<Forward>> Forward::Create(const spec::ModelSpec& model, WeightStore& weights,
                                                 const kernels::OperationTable& operations,
                                                 device::Device& device,
                                                 const ForwardOptions& options) {
  GLINT_CHECK(device.properties().is_host, "results are read where the device wrote them");
  GLINT_TRY(CheckOptions(options));
  auto forward = std::unique_ptr<Forward>(new Forward(model, operations, options));
  GLINT_TRY(forward->Prepare(weights, device));
  return forward;
}

Status Forward::Prepare(WeightStore& weights, device::Device& device) {
  stream_ = device.CreateStream();
  GLINT_TRY(AcquireWeights(weights));
  GLINT_ASSIGN(CacheLayout cache, CacheLayout::Create(model_, options_.cache));
  cache_ = std::make_unique<CacheLayout>(std::move(cache));
  GLINT_ASSIGN(cache_memory_, device.Allocate(cache_->total_bytes()));
  inverse_frequency_.resize(static_cast<std::size_t>(model_.rope.width / 2));
  kernels::FillInverseFrequency(static_cast<float>(model_.rope.theta), model_.rope.width,
                                inverse_frequency_.data());
  rope_ = {.inverse_frequency = inverse_frequency_.data(),
           .width = model_.rope.width,
           .interleaved = model_.rope.interleaved};
  GLINT_ASSIGN(buffers_, ForwardBuffers::Create(
                             model_, {options_.max_rows, options_.max_logit_rows}, device));
  GLINT_ASSIGN(tables_,
               StepTables::Create({.rows = options_.max_rows,
                                   .sequences = options_.max_sequences,
                                   .pages_per_sequence = options_.max_pages_per_sequence > 0
                                                             ? options_.max_pages_per_sequence
                                                             : options_.cache.page_count,
                                   .page_tokens = options_.cache.page_tokens,
                                   .page_count = options_.cache.page_count,
                                   .vocab_size = model_.vocab_size,
                                   .logit_rows = options_.max_logit_rows},
                                  device));
  return Ok();
}

Status Forward::AcquireWeights(WeightStore& weights) {
  GLINT_ASSIGN(Lease outside, weights.Acquire({}, *stream_));
  outside_.push_back(std::move(outside));
  experts_.resize(static_cast<std::size_t>(model_.AllLayers()));
  for (std::int64_t layer = 0; layer < model_.AllLayers(); ++layer) {
    GLINT_ASSIGN(Lease lease, weights.Acquire({layer, -1}, *stream_));
    reads_integers_ = reads_integers_ || HasInterleaved(lease);
    layers_.push_back(std::move(lease));
    if (model_.Layer(layer).mlp != spec::MlpKind::kMoe) continue;
    for (std::int64_t expert = 0; expert < model_.moe->experts; ++expert) {
      GLINT_ASSIGN(Lease one, weights.Acquire({layer, expert}, *stream_));
      experts_[static_cast<std::size_t>(layer)].push_back(ExpertOf(one));
      expert_leases_.push_back(std::move(one));
    }
  }
  return Ok();
}

const kernels::BatchTables& Forward::tables() const { return tables_->tables(); }

kernels::Activation Forward::Live(const kernels::Activation& buffer) const {
  return Rows(buffer, tables().row_count);
}

Result<EnqueuedForward> Forward::Enqueue(const Batch& batch) {
  GLINT_TRY(tables_->Load(batch, *stream_));
  const Lease& outside = outside_.front();
  Embed(outside.Get(WeightSlot::kEmbedding), buffers_->residual);
  Norm(Live(buffers_->residual), LayerWeights(0).Get(WeightSlot::kInputNorm), Normed());
  for (std::int64_t layer = 0; layer < model_.TrunkLayers(); ++layer) {
    const bool last = layer + 1 == model_.TrunkLayers();
    Layer(layer, last ? outside.Get(WeightSlot::kFinalNorm)
                      : LayerWeights(layer + 1).Get(WeightSlot::kInputNorm));
  }
  return Head(outside.Get(model_.tied_embeddings ? WeightSlot::kEmbedding : WeightSlot::kLmHead));
}

Result<ForwardResult> Forward::Run(const Batch& batch) {
  GLINT_ASSIGN(const EnqueuedForward enqueued, Enqueue(batch));
  return Wait(enqueued);
}

Result<ForwardResult> Forward::Wait(const EnqueuedForward& enqueued) {
  GLINT_TRY(stream_->Synchronize());
  const auto numbers = [](const kernels::Activation& rows) {
    return std::span(static_cast<const float*>(rows.data),
                     static_cast<std::size_t>(rows.rows * rows.columns));
  };
  return ForwardResult{.logits = numbers(enqueued.logits), .hidden = numbers(enqueued.hidden)};
}

Result<ForwardResult> Forward::RunMtp(const Batch& batch, std::span<const float> hidden) {
  if (model_.mtp_layers.empty()) return InvalidArgument("this model has no MTP layer");
  GLINT_TRY(tables_->Load(batch, *stream_));
  const auto width = static_cast<std::size_t>(model_.hidden_size);
  GLINT_CHECK(hidden.size() == static_cast<std::size_t>(batch.RowCount()) * width,
              "one hidden state for each row");
  const std::int64_t layer = model_.TrunkLayers();
  const Lease& weights = LayerWeights(layer);
  const Lease& outside = outside_.front();
  // A checkpoint that leaves MTP's own copies out means the trunk's.
  const tensor::WeightView* table = weights.Find(WeightSlot::kMtpEmbedding);
  const tensor::WeightView* head = weights.Find(WeightSlot::kMtpHead);
  if (head == nullptr) {
    head = &outside.Get(model_.tied_embeddings ? WeightSlot::kEmbedding : WeightSlot::kLmHead);
  }
  stream_->Copy(buffers_->mtp_hidden.data, hidden.data(),
                static_cast<std::int64_t>(hidden.size_bytes()));
  Embed(table != nullptr ? *table : outside.Get(WeightSlot::kEmbedding), buffers_->mtp_embedding);
  Norm(Live(buffers_->mtp_embedding), weights.Get(WeightSlot::kMtpEmbeddingNorm),
       {Columns(Live(buffers_->mtp_input), 0, model_.hidden_size)});
  Norm(Live(buffers_->mtp_hidden), weights.Get(WeightSlot::kMtpHiddenNorm),
       {Columns(Live(buffers_->mtp_input), model_.hidden_size, model_.hidden_size)});
  Linear({Live(buffers_->mtp_input)}, weights.Get(WeightSlot::kMtpProjection), nullptr,
         Live(buffers_->residual));
  Norm(Live(buffers_->residual), weights.Get(WeightSlot::kInputNorm), Normed());
  Layer(layer, weights.Get(WeightSlot::kMtpHeadNorm));
  return Wait(Head(*head));
}

void Forward::FillCaches() {
  const tensor::DType dtype = options_.cache.dtype;
  std::vector<double> numbers(65536);
  std::uint32_t state = 1;
  for (double& number : numbers) {
    state = state * 1664525 + 1013904223;
    number = static_cast<double>(state >> 8) * 0x1p-23 - 1;
  }
  const auto count = static_cast<std::int64_t>(numbers.size());
  const std::int64_t bytes = count * tensor::DTypeBytes(dtype);
  std::vector<std::byte> pattern(static_cast<std::size_t>(bytes));
  tensor::StoreElements(dtype, numbers.data(), count, pattern.data(), 0);
  for (std::int64_t at = 0; at < cache_->total_bytes(); at += bytes) {
    std::memcpy(cache_memory_->data() + at, pattern.data(),
                static_cast<std::size_t>(std::min(bytes, cache_->total_bytes() - at)));
  }
}

EnqueuedForward Forward::Head(const tensor::WeightView& head) {
  const std::vector<std::int64_t>& wanted = tables_->logit_rows();
  const auto rows = static_cast<std::int64_t>(wanted.size());
  const std::int64_t row_bytes = model_.hidden_size * 4;
  auto* to = static_cast<std::byte*>(buffers_->head_input.data);
  const auto* from = static_cast<const std::byte*>(buffers_->normed.data);
  for (const std::int64_t row : wanted) {
    stream_->Copy(to, from + row * row_bytes, row_bytes);
    to += row_bytes;
  }
  if (rows > 0) {
    Linear({Rows(buffers_->head_input, rows)}, head, nullptr, Rows(buffers_->logits, rows));
  }
  return {.logits = Rows(buffers_->logits, rows), .hidden = Live(buffers_->normed)};
}

}  // namespace glint::model
