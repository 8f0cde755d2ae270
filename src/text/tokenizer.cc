// SPDX-License-Identifier: Apache-2.0
#include "text/tokenizer.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "text/detokenizer.h"
#include "text/internal/added_tokens.h"
#include "text/internal/bpe.h"
#include "text/internal/gguf_tokenizer.h"
#include "text/internal/pretoken_pattern.h"
#include "text/internal/tokenizer_file.h"
#include "text/internal/vocabulary.h"

namespace glint::text {
namespace {

// A longer pre-token is cut, as the encoder counts in 32 bits.
constexpr std::size_t kMaxPieceBytes = std::size_t{1} << 30U;

}  // namespace

struct Tokenizer::Tables {
  TokenizerTables file;
  PretokenPattern pattern;
  AddedTokenFinder added;
  enum Kind : std::uint8_t { kBase, kAdded, kSpecial };
  std::vector<Kind> kinds;  // by id
};

// One call of Encode: the buffers that its pieces share.
class Tokenizer::Encoder {
 public:
  Encoder(const Tables& tables, std::vector<std::int32_t>& ids)
      : tables_(tables),
        ids_(ids),
        reader_(tables.pattern),
        bpe_(tables.file.merges, tables.file.byte_ids) {}

  // Text without added tokens.
  void Encode(std::string_view text) {
    while (!text.empty()) {
      const std::size_t well_formed = Utf8PrefixLength(text);
      reader_.Start(text.substr(0, well_formed));
      while (const std::optional<std::string_view> piece = reader_.Next()) EncodePiece(*piece);
      text.remove_prefix(well_formed);
      if (text.empty()) return;
      const std::size_t damaged = DamageAtStart(text).bytes;
      EncodePiece(text.substr(0, damaged));
      text.remove_prefix(damaged);
    }
  }

 private:
  void EncodePiece(std::string_view piece) {
    if (tables_.file.ignore_merges || piece.size() == 1) {
      const std::int32_t id = tables_.file.vocabulary.Find(piece);
      if (id != Vocabulary::kNoToken &&
          tables_.kinds[static_cast<std::size_t>(id)] == Tables::kBase) {
        ids_.push_back(id);
        return;
      }
    }
    if (!tables_.file.every_byte) piece = KnownBytes(piece);
    for (; piece.size() > kMaxPieceBytes; piece.remove_prefix(kMaxPieceBytes)) {
      bpe_.Encode(piece.substr(0, kMaxPieceBytes), ids_);
    }
    if (!piece.empty()) bpe_.Encode(piece, ids_);
  }

  // The bytes that are tokens; what stood between two of them does not keep them apart, as in
  // Hugging Face's `tokenizers`. Valid until the next call.
  std::string_view KnownBytes(std::string_view piece) {
    known_.clear();
    for (const char byte : piece) {
      const std::int32_t id = tables_.file.byte_ids[static_cast<unsigned char>(byte)];
      if (id != Vocabulary::kNoToken) known_ += byte;
    }
    return known_;
  }

  const Tables& tables_;
  std::vector<std::int32_t>& ids_;
  PretokenReader reader_;
  BpeEncoder bpe_;
  std::string known_;
};

Tokenizer::Tokenizer(std::unique_ptr<const Tables> tables) : tables_(std::move(tables)) {}
Tokenizer::~Tokenizer() = default;

Result<std::unique_ptr<const Tokenizer>> Tokenizer::Parse(std::string_view json,
                                                          std::string_view where) {
  GLINT_ASSIGN(TokenizerTables file, ReadTokenizerFile(json, where));
  return Make(std::move(file), where);
}

Result<std::unique_ptr<const Tokenizer>> Tokenizer::ParseGguf(const Json& metadata,
                                                              std::string_view where) {
  GLINT_ASSIGN(TokenizerTables file, ReadGgufTokenizer(metadata, where));
  return Make(std::move(file), where);
}

Result<std::unique_ptr<const Tokenizer>> Tokenizer::Make(TokenizerTables file,
                                                         std::string_view where) {
  GLINT_ASSIGN(PretokenPattern pattern, PretokenPattern::Compile(file.pattern, where));
  std::vector<Tables::Kind> kinds(static_cast<std::size_t>(file.vocabulary.size()), Tables::kBase);
  for (const AddedToken& token : file.added) {
    kinds[static_cast<std::size_t>(token.id)] = token.special ? Tables::kSpecial : Tables::kAdded;
  }
  AddedTokenFinder added(std::move(file.added));
  auto tables = std::make_unique<const Tables>(Tables{.file = std::move(file),
                                                      .pattern = std::move(pattern),
                                                      .added = std::move(added),
                                                      .kinds = std::move(kinds)});
  return std::unique_ptr<const Tokenizer>(new Tokenizer(std::move(tables)));
}

std::vector<std::int32_t> Tokenizer::Encode(std::string_view text, AddedTokens added) const {
  std::vector<std::int32_t> ids;
  ids.reserve(text.size() / 4 + 1);
  Encoder encoder(*tables_, ids);
  std::size_t begin = 0;
  while (added == AddedTokens::kMatch) {
    const auto match = tables_->added.FindFirst(text, begin);
    if (!match) break;
    encoder.Encode(text.substr(begin, match->begin - begin));
    ids.push_back(match->token->id);
    begin = match->begin + match->token->content.size();
  }
  encoder.Encode(text.substr(begin));
  return ids;
}

std::string_view Tokenizer::Bytes(std::int32_t id) const {
  return tables_->file.vocabulary.Bytes(id);
}

bool Tokenizer::IsAdded(std::int32_t id) const {
  return id >= 0 && id < size() && tables_->kinds[static_cast<std::size_t>(id)] != Tables::kBase;
}

bool Tokenizer::IsSpecial(std::int32_t id) const {
  return id >= 0 && id < size() && tables_->kinds[static_cast<std::size_t>(id)] == Tables::kSpecial;
}

std::optional<std::int32_t> Tokenizer::AddedTokenId(std::string_view content) const {
  const AddedToken* token = tables_->added.Find(content);
  return token == nullptr ? std::nullopt : std::optional(token->id);
}

std::int32_t Tokenizer::size() const { return tables_->file.vocabulary.size(); }

std::string Tokenizer::Decode(std::span<const std::int32_t> ids, bool skip_special) const {
  Detokenizer detokenizer(*this, skip_special);
  std::string text;
  for (const std::int32_t id : ids) text += detokenizer.Push(id);
  return text + detokenizer.Finish();
}

}  // namespace glint::text
