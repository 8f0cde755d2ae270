// SPDX-License-Identifier: Apache-2.0
// AttentionPiece on the tiles of Intel AMX, of caches in BF16. A float is the sum of three BF16
// numbers, exactly (isa_amx.h), so that queries and weights lose nothing: products are exact, and
// sums are of F32, as in attention_piece_cpu.cc, if in another order.
#include "kernels/cache_math.h"
#include "kernels/exp_math.h"
#include "kernels/internal/attention_piece.h"
#include "kernels/isa_amx.h"
#include "kernels/isa_dot.h"

namespace glint::kernels::GLINT_ISA {
namespace {

constexpr int64_t kHeads = kAttentionMaxHeads;
constexpr int64_t kParts = 3;       // of a float
constexpr int64_t kPairs = 16;      // of columns, or of tokens: what a tile multiplies at once
constexpr int64_t kColumns = 64;    // of values that are summed at once, in four tiles
constexpr int64_t kKeyTiles = 4;    // of a block's tokens
constexpr int64_t kTileBytes = 64;  // of a row
static_assert(kHeads == kTileRows && kAttentionBlock == kKeyTiles * kTileRows);

// Registers 0 to 3 hold sums.
enum : int { kA = 4, kB = 5 };

struct State {
  // [column pair, part, head, 2]
  alignas(64) uint16_t query[kTiledAttentionMostWidth * kParts * kHeads];
  // The block's keys [token, width], where they do not lie at equal distances.
  alignas(64) uint16_t keys[kAttentionBlock * kTiledAttentionMostWidth];
  alignas(64) float weights[kAttentionBlock * kHeads];                    // [token, head]
  alignas(64) uint16_t split_weights[kParts * kHeads * kAttentionBlock];  // [part, head, token]
  alignas(64) uint16_t values[kAttentionBlock / 2 * kColumns * 2];        // [pair, column, 2]
  alignas(64) float sums[kColumns / kHeads][kHeads * kHeads];             // [tile][head, column]
  F32xN rescale;
  F32xN largest;
  F32xN sum;
  int64_t slots[kAttentionBlock];
  int64_t next_entry;
};

GLINT_ISA_INLINE int64_t Smaller(int64_t a, int64_t b) { return a < b ? a : b; }

GLINT_ISA_INLINE float QueryAt(const AttentionPiece& piece, int64_t head, int64_t column) {
  if (column < piece.query_width) return piece.query[head * piece.query_stride + column];
  return piece.query_tail[head * piece.tail_stride + column - piece.query_width];
}

void SplitQueries(const AttentionPiece& piece, State& state) {
  const int64_t pairs = (piece.query_width + piece.tail_width) / 2;
  for (int64_t pair = 0; pair < pairs; ++pair) {
    F32xN columns[2] = {};
    for (int64_t head = 0; head < piece.heads; ++head) {
      columns[0][head] = QueryAt(piece, head, 2 * pair);
      columns[1][head] = QueryAt(piece, head, 2 * pair + 1);
    }
    const SplitFloats even = SplitInThree(columns[0]);
    const SplitFloats odd = SplitInThree(columns[1]);
    for (int64_t part = 0; part < kParts; ++part) {
      const U32xN both = (even.parts[part] >> 16) | odd.parts[part];
      memcpy(state.query + (pair * kParts + part) * kHeads * 2, &both, sizeof(both));
    }
  }
}

void Begin(const AttentionPiece& piece, State& state) {
  SplitQueries(piece, state);
  for (int64_t head = 0; head < piece.heads; ++head) {
    memset(piece.output + head * piece.output_stride, 0, piece.value_width * sizeof(float));
  }
  state.largest = SplatN(-__builtin_inff());
  state.sum = F32xN{};
  state.next_entry = 0;
}

// The slots of the next attended tokens; 0 when there are none left.
int64_t NextBlock(const AttentionPiece& piece, State& state) {
  const int64_t position = piece.tables.row_position[piece.row];
  const int64_t entries = piece.positions == nullptr ? position + 1 : piece.top_k;
  int64_t count = 0;
  for (; count < kAttentionBlock && state.next_entry < entries; ++state.next_entry) {
    const int64_t t =
        piece.positions == nullptr ? state.next_entry : piece.positions[state.next_entry];
    if (t < 0 || t > position) continue;
    state.slots[count] = CacheSlot(piece.tables, piece.tables.row_sequence[piece.row], t);
    ++count;
  }
  return count;
}

// Sixteen tokens' keys: where they lie when that is one after the other, else a copy.
struct KeyRows {
  const uint16_t* first;
  int64_t stride;  // bytes
};
KeyRows KeysOf(const AttentionPiece& piece, State& state, int64_t token, int64_t count) {
  const auto* keys = static_cast<const uint16_t*>(piece.keys);
  bool in_a_row = token + kTileRows <= count;
  for (int64_t i = 1; in_a_row && i < kTileRows; ++i) {
    in_a_row = state.slots[token + i] == state.slots[token] + i;
  }
  if (in_a_row) return {keys + state.slots[token] * piece.key_stride, piece.key_stride * 2};
  const int64_t width = piece.query_width + piece.tail_width;
  uint16_t* copy = state.keys + token * width;
  for (int64_t i = 0; i < kTileRows; ++i) {
    if (token + i < count) {
      memcpy(copy + i * width, keys + state.slots[token + i] * piece.key_stride, width * 2);
    } else {
      memset(copy + i * width, 0, width * 2);
    }
  }
  return {copy, width * 2};
}

template <int kTile>
GLINT_ISA_INLINE void AddScores(const KeyRows& keys, int64_t column) {
  LoadTile<kA>(keys.first + column, keys.stride);
  AddTileProductsBf16<kTile, kA, kB>();
}

void ScoreBlock(const AttentionPiece& piece, State& state, int64_t count) {
  KeyRows keys[kKeyTiles];
  for (int64_t tile = 0; tile < kKeyTiles; ++tile) {
    // Tiles that hold no token repeat the first.
    const int64_t token = tile * kTileRows < count ? tile * kTileRows : 0;
    keys[tile] = token == 0 && tile > 0 ? keys[0] : KeysOf(piece, state, token, count);
  }
  ZeroTile<0>();
  ZeroTile<1>();
  ZeroTile<2>();
  ZeroTile<3>();
  const int64_t width = piece.query_width + piece.tail_width;
  for (int64_t column = 0; column < width; column += 2 * kPairs) {
    for (int64_t part = 0; part < kParts; ++part) {
      LoadTile<kB>(state.query + (column / 2 * kParts + part) * kHeads * 2, kParts * kTileBytes);
      AddScores<0>(keys[0], column);
      AddScores<1>(keys[1], column);
      AddScores<2>(keys[2], column);
      AddScores<3>(keys[3], column);
    }
  }
  StoreTile<0>(state.weights, kTileBytes);
  StoreTile<1>(state.weights + kTileRows * kHeads, kTileBytes);
  StoreTile<2>(state.weights + 2 * kTileRows * kHeads, kTileBytes);
  StoreTile<3>(state.weights + 3 * kTileRows * kHeads, kTileBytes);
}

GLINT_ISA_INLINE F32xN LoadHeads(const float* from) {
  F32xN value;
  memcpy(&value, from, sizeof(value));
  return value;
}
GLINT_ISA_INLINE F32xN Exp(F32xN x) {
  float lanes[kVectorLanes];
  memcpy(lanes, &x, sizeof(x));
  for (float& lane : lanes) lane = ExpMath(lane);
  return LoadHeads(lanes);
}

// Scores become weights relative to the largest score so far; rescale is what earlier sums are to
// be multiplied with.
void WeighBlock(const AttentionPiece& piece, State& state, int64_t count) {
  const F32xN scale = SplatN(piece.scale);
  F32xN largest = state.largest;
  for (int64_t t = 0; t < count; ++t) {
    const F32xN score = LoadHeads(state.weights + t * kHeads) * scale;
    largest = score > largest ? score : largest;
    memcpy(state.weights + t * kHeads, &score, sizeof(score));
  }
  state.rescale = Exp(state.largest - largest);
  state.largest = largest;
  F32xN sum = {};
  for (int64_t t = 0; t < count; ++t) {
    const F32xN weight = Exp(LoadHeads(state.weights + t * kHeads) - largest);
    sum += weight;
    memcpy(state.weights + t * kHeads, &weight, sizeof(weight));
  }
  memset(state.weights + count * kHeads, 0, (kAttentionBlock - count) * kHeads * sizeof(float));
  state.sum = state.sum * state.rescale + sum;
}

// The upper halves of sixteen 32-bit elements.
GLINT_ISA_INLINE void StoreUpperHalves(uint16_t* to, U32xN value) {
  const __m256i halves = _mm512_cvtepi32_epi16((__m512i)(value >> 16));
  memcpy(to, &halves, sizeof(halves));
}

void SplitWeights(State& state) {
  const __m512i heads =
      _mm512_mullo_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                         _mm512_set1_epi32(kHeads));
  for (int64_t head = 0; head < kHeads; ++head) {
    for (int64_t token = 0; token < kAttentionBlock; token += kVectorLanes) {
      const F32xN weights =
          (F32xN)_mm512_i32gather_ps(heads, state.weights + token * kHeads + head, 4);
      const SplitFloats split = SplitInThree(weights);
      for (int64_t part = 0; part < kParts; ++part) {
        StoreUpperHalves(state.split_weights + (part * kHeads + head) * kAttentionBlock + token,
                         split.parts[part]);
      }
    }
  }
}

// 32 columns of two tokens' values, side by side.
GLINT_ISA_INLINE void PairUp(const uint16_t* even, const uint16_t* odd, uint16_t* to) {
  alignas(64) static constexpr uint16_t kFirst[32] = {0,  32, 1,  33, 2,  34, 3,  35, 4,  36, 5,
                                                      37, 6,  38, 7,  39, 8,  40, 9,  41, 10, 42,
                                                      11, 43, 12, 44, 13, 45, 14, 46, 15, 47};
  const __m512i first = _mm512_load_si512(kFirst);
  const __m512i second = _mm512_add_epi16(first, _mm512_set1_epi16(16));
  const __m512i a = _mm512_loadu_si512(even);
  const __m512i b = _mm512_loadu_si512(odd);
  _mm512_store_si512(to, _mm512_permutex2var_epi16(a, first, b));
  _mm512_store_si512(to + 32, _mm512_permutex2var_epi16(a, second, b));
}

// Columns [column, column + kColumns) of the block's values, in pairs of tokens, filled up to 32
// tokens with what weighs nothing.
void PairValues(const AttentionPiece& piece, State& state, int64_t count, int64_t column) {
  const auto* values = static_cast<const uint16_t*>(piece.values) + column;
  for (int64_t token = 0; token < count; token += 2) {
    const uint16_t* even = values + state.slots[token] * piece.value_stride;
    const uint16_t* odd = values + state.slots[Smaller(token + 1, count - 1)] * piece.value_stride;
    uint16_t* to = state.values + token * kColumns;
    PairUp(even, odd, to);
    PairUp(even + 32, odd + 32, to + 64);
  }
  const int64_t filled = (count + 1) / 2 * 2;
  const int64_t needed = (count + 2 * kPairs - 1) / (2 * kPairs) * (2 * kPairs);
  memset(state.values + filled * kColumns, 0, (needed - filled) * kColumns * sizeof(uint16_t));
}

template <int kTile>
GLINT_ISA_INLINE void AddProducts(const uint16_t* values) {
  LoadTile<kB>(values + int64_t{kTile} * 2 * kHeads, kColumns * 4);
  AddTileProductsBf16<kTile, kA, kB>();
}

// sums = the products of the block's weights with kColumns columns of its values.
void SumColumns(State& state, int64_t count) {
  ZeroTile<0>();
  ZeroTile<1>();
  ZeroTile<2>();
  ZeroTile<3>();
  for (int64_t token = 0; token < count; token += 2 * kPairs) {
    for (int64_t part = 0; part < kParts; ++part) {
      LoadTile<kA>(state.split_weights + part * kHeads * kAttentionBlock + token,
                   kAttentionBlock * 2);
      const uint16_t* values = state.values + token * kColumns;
      AddProducts<0>(values);
      AddProducts<1>(values);
      AddProducts<2>(values);
      AddProducts<3>(values);
    }
  }
  StoreTile<0>(state.sums[0], kTileBytes);
  StoreTile<1>(state.sums[1], kTileBytes);
  StoreTile<2>(state.sums[2], kTileBytes);
  StoreTile<3>(state.sums[3], kTileBytes);
}

// output = output * rescale + sum of weight * value.
void AddValues(const AttentionPiece& piece, State& state, int64_t count) {
  SplitWeights(state);
  for (int64_t column = 0; column < piece.value_width; column += kColumns) {
    PairValues(piece, state, count, column);
    SumColumns(state, count);
    for (int64_t head = 0; head < piece.heads; ++head) {
      float* to = piece.output + head * piece.output_stride + column;
      const F32xN rescale = SplatN(state.rescale[head]);
      for (int64_t tile = 0; tile < kColumns / kHeads; ++tile) {
        const F32xN sums = LoadHeads(state.sums[tile] + head * kHeads);
        const F32xN out = MulAdd(LoadHeads(to + tile * kHeads), rescale, sums);
        memcpy(to + tile * kHeads, &out, sizeof(out));
      }
    }
  }
}

void Divide(const AttentionPiece& piece, const State& state) {
  for (int64_t head = 0; head < piece.heads; ++head) {
    const float sum = state.sum[head];
    if (sum == 0) continue;  // nothing was attended to
    float* output = piece.output + head * piece.output_stride;
    for (int64_t column = 0; column < piece.value_width; ++column) output[column] /= sum;
  }
}

}  // namespace

void AttendPiece(const AttentionPiece* piece) {
  if (!TilesAttend(*piece)) return avx512::AttendPiece(piece);
  TileShapes shapes;
  for (const int tile : {0, 1, 2, 3, static_cast<int>(kA), static_cast<int>(kB)}) {
    SetShape(shapes, tile, kTileRows, kTileBytes);
  }
  ConfigureTiles(shapes);
  State state;
  Begin(*piece, state);
  for (int64_t count = NextBlock(*piece, state); count > 0; count = NextBlock(*piece, state)) {
    ScoreBlock(*piece, state, count);
    WeighBlock(*piece, state, count);
    AddValues(*piece, state, count);
  }
  ReleaseTiles();
  Divide(*piece, state);
}

}  // namespace glint::kernels::GLINT_ISA
