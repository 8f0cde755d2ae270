// SPDX-License-Identifier: Apache-2.0
// The forward pass of every GLM architecture: plain calls of operations over a batch of rows.
//
// Prefill and decode are the same pass: a row reads the caches that it and the rows before it have
// written, so one chunk, many chunks and token by token give the same numbers. Latent attention is
// always in absorbed form. Source of the arithmetic: glm-architecture.md section 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "kernels/operations.h"
#include "model/batch.h"
#include "model/cache_layout.h"
#include "model/weight_store.h"
#include "spec/model_spec.h"

namespace glint::model {

class ForwardBuffers;
class StepTables;

struct ForwardOptions {
  CacheLayout::Options cache;
  std::int64_t max_rows = 512;       // of a batch, > 0
  std::int64_t max_sequences = 64;   // of a batch, > 0
  std::int64_t max_logit_rows = 64;  // of a batch, > 0
  // Pages that one sequence may hold; 0: as many as there are. Sizes the page tables.
  std::int64_t max_pages_per_sequence = 0;
};

// Where a pass leaves its numbers, in device memory: valid once the work is done, until the work of
// the next pass begins.
struct EnqueuedForward {
  kernels::Activation logits;  // F32 [rows that asked, vocab], in order of sequences and rows
  kernels::Activation hidden;  // F32 [all rows, hidden]: after the final norm, what MTP starts from
};

// Numbers of one Forward call, valid until the next one. On the CPU device they are host memory.
struct ForwardResult {
  std::span<const float> logits;  // [rows that asked, vocab], in order of sequences and rows
  std::span<const float> hidden;  // [all rows, hidden]: after the final norm, what MTP starts from
};

// Thread-compatible: the engine thread owns it.
class Forward {
 public:
  // `weights` and `operations` must outlive the object. Fails with kResourceExhausted when the
  // device has no room for caches and buffers, with kInvalidArgument for options out of range, with
  // kNotFound when the store lacks a unit.
  static Result<std::unique_ptr<Forward>> Create(const spec::ModelSpec& model, WeightStore& weights,
                                                 const kernels::OperationTable& operations,
                                                 device::Device& device,
                                                 const ForwardOptions& options);
  ~Forward();
  Forward(const Forward&) = delete;
  Forward& operator=(const Forward&) = delete;

  // Puts the trunk over `batch` on the stream and returns; nothing is copied back. Positions of a
  // sequence below first_position must have been enqueued before with the same pages. At most one
  // earlier pass may be unfinished: its tables are kept, those before it are overwritten. Fails,
  // and enqueues nothing, with kInvalidArgument, naming the value, for a batch beyond the limits, a
  // position beyond its pages, an id outside the vocabulary or a sample that batch.samples lacks.
  Result<EnqueuedForward> Enqueue(const Batch& batch);

  // Enqueue, and waits until the numbers are there.
  Result<ForwardResult> Run(const Batch& batch);

  // Runs the MTP layer: row t of a sequence takes the hidden state `hidden` [rows, H] (of Run, or
  // of the draft step before) and the token after it, which is what `batch` holds. Writes the MTP
  // layer's own caches. The result's hidden is after shared_head.norm, ready for the next draft.
  Result<ForwardResult> RunMtp(const Batch& batch, std::span<const float> hidden);

  // Writes numbers between -1 and 1 over all caches, always the same ones: for measuring steps with
  // a long context without computing it. No pass may be unfinished.
  void FillCaches();

  [[nodiscard]] const spec::ModelSpec& model() const { return model_; }
  // Where passes are enqueued: the sampler's work goes behind them.
  [[nodiscard]] device::Stream& stream() { return *stream_; }

 private:
  Forward(const spec::ModelSpec& model, const kernels::OperationTable& operations,
          const ForwardOptions& options);
  Status Prepare(WeightStore& weights, device::Device& device);
  Status AcquireWeights(WeightStore& weights);

  // Rows of F32 and, where whoever wrote them made it, the same in eight bits.
  struct Input {
    kernels::Activation x;
    kernels::QuantizedActivation codes = {};  // quantized null: not made
  };

  // The parts of a pass, in the order in which Run uses them. `normed` holds a branch's input and
  // `branch` its output; each adds its branch to the stream and normalises for the next.
  void Embed(const tensor::WeightView& table, const kernels::Activation& out);
  void Norm(const kernels::Activation& in, const tensor::WeightView& weight, const Input& out);
  void Layer(std::int64_t layer, const tensor::WeightView& next_norm);
  void AddBranch(const Lease& weights, WeightSlot sandwich_norm, const tensor::WeightView& norm);
  void LatentAttention(std::int64_t layer);
  void SelectPositions(std::int64_t layer);
  void GroupedAttention(std::int64_t layer);
  void Mlp(const Lease& weights, WeightSlot gate, std::int64_t width,
           const kernels::Activation& out);
  void Moe(std::int64_t layer);
  EnqueuedForward Head(const tensor::WeightView& head);
  Result<ForwardResult> Wait(const EnqueuedForward& enqueued);

  void AbsorbQuery(const Lease& weights, const kernels::Activation& q);
  void ExpandValue(const Lease& weights);
  // What normed and q_residual hold, in the forms that this model's weights read.
  [[nodiscard]] Input Normed() const;
  [[nodiscard]] Input QResidual() const;
  [[nodiscard]] Input WithCodes(const kernels::Activation& x,
                                const kernels::QuantizedActivation& codes) const;
  // The codes of an input; of one that has none yet in the step's buffer for any: good until the
  // next call.
  kernels::QuantizedActivation Quantize(const Input& input);
  void Linear(const Input& input, const tensor::WeightView& weight, const tensor::WeightView* bias,
              const kernels::Activation& out);
  [[nodiscard]] kernels::Activation Live(const kernels::Activation& buffer) const;
  [[nodiscard]] const kernels::BatchTables& tables() const;
  [[nodiscard]] const Lease& LayerWeights(std::int64_t layer) const {
    return layers_[static_cast<std::size_t>(layer)];
  }

  spec::ModelSpec model_;
  const kernels::OperationTable& operations_;
  ForwardOptions options_;
  std::unique_ptr<device::Stream> stream_;
  std::vector<Lease> outside_;  // one: embedding, final norm, lm_head
  std::vector<Lease> layers_;   // all of a layer but its routed experts
  std::vector<Lease> expert_leases_;
  bool reads_integers_ = false;  // some weights' kernels take their input in eight bits
  std::vector<std::vector<kernels::ExpertView>> experts_;  // by layer; empty for dense ones
  std::unique_ptr<CacheLayout> cache_;
  std::unique_ptr<device::Memory> cache_memory_;
  std::vector<float> inverse_frequency_;
  kernels::RopeView rope_;
  std::unique_ptr<ForwardBuffers> buffers_;
  std::unique_ptr<StepTables> tables_;
};

}  // namespace glint::model
