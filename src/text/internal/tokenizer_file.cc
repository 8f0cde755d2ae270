// SPDX-License-Identifier: Apache-2.0
#include "text/internal/tokenizer_file.h"

#include <set>
#include <utility>

#include "base/format.h"
#include "base/json.h"
#include "base/utf8.h"
#include "text/internal/byte_alphabet.h"

namespace glint::text {
namespace {

constexpr std::int64_t kMaxId = (1 << 24) - 1;
constexpr std::size_t kMaxFileBytes = 512'000'000;
constexpr std::size_t kMaxAddedBytes = 256;  // of one token: bounds the time of a match
constexpr JsonLimits kJsonLimits = {.depth = 32, .values = 20'000'000};

// What a message calls a value: "null", "Split" for an object of that type, or "an array".
std::string NameOf(const Json* value) {
  if (value == nullptr || value->is_null()) return "null";
  const Json* type = value->Find("type");
  if (type != nullptr && type->string() != nullptr) return Quoted(*type->string());
  return value->TypeName();
}

bool HasType(const Json* value, std::string_view type) {
  const Json* found = value == nullptr ? nullptr : value->Find("type");
  return found != nullptr && found->string() != nullptr && *found->string() == type;
}

// Absent, null, false and "" all leave a switch off.
bool IsOff(const Json* value) {
  if (value == nullptr || value->is_null()) return true;
  if (value->boolean() != nullptr) return !*value->boolean();
  return value->string() != nullptr && value->string()->empty();
}

bool IsTrue(const Json* value) {
  return value != nullptr && value->boolean() != nullptr && *value->boolean();
}

class Reader {
 public:
  Reader(const Json& file, std::string_view where, const TokenizerSource& source)
      : file_(file), where_(where), source_(source) {}

  Result<TokenizerTables> Read() {
    GLINT_TRY(CheckNormalizer());
    GLINT_TRY(ReadPreTokenizer());
    if (!HasType(file_.Find("decoder"), "ByteLevel")) {
      return Refuse(format("decoder is {}, must be ByteLevel", NameOf(file_.Find("decoder"))));
    }
    const Json* model = file_.Find("model");
    if (!HasType(model, "BPE")) {
      return Refuse(format("model is {}, must be BPE", NameOf(model)));
    }
    for (const char* key :
         {"dropout", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback"}) {
      if (!IsOff(model->Find(key))) return Refuse(format("model.{} is not supported", key));
    }
    tables_.ignore_merges = IsTrue(model->Find("ignore_merges"));
    GLINT_TRY(ReadVocabulary(model->Find("vocab")));
    GLINT_TRY(ReadBytes());
    GLINT_TRY(ReadAdded(file_.Find("added_tokens")));
    GLINT_TRY(ReadMerges(model->Find("merges")));
    return std::move(tables_);
  }

 private:
  [[nodiscard]] Error Refuse(std::string_view reason) const {
    return InvalidArgument(format("{}: {}", where_, reason));
  }

  Status CheckNormalizer() {
    const Json* normalizer = file_.Find("normalizer");
    if (normalizer == nullptr || normalizer->is_null()) return Ok();
    if (HasType(normalizer, "Sequence")) {
      const Json* steps = normalizer->Find("normalizers");
      if (steps != nullptr && steps->array() != nullptr && steps->array()->empty()) return Ok();
    }
    return Refuse(format("normalizer is {}, must be null", NameOf(normalizer)));
  }

  Status ReadPreTokenizer() {
    const Json* sequence = file_.Find("pre_tokenizer");
    const Json* steps = HasType(sequence, "Sequence") ? sequence->Find("pretokenizers") : nullptr;
    if (steps == nullptr || steps->array() == nullptr || steps->array()->size() != 2) {
      return Refuse(format("pre_tokenizer is {}, must be a Sequence of Split and ByteLevel",
                           NameOf(sequence)));
    }
    const Json& split = (*steps->array())[0];
    const Json& byte_level = (*steps->array())[1];
    if (!HasType(&split, "Split") || !HasType(&byte_level, "ByteLevel")) {
      return Refuse(format("pre_tokenizer is {} and {}, must be Split and ByteLevel",
                           NameOf(&split), NameOf(&byte_level)));
    }
    // Both default to true there.
    for (const char* key : {"add_prefix_space", "use_regex"}) {
      const Json* value = byte_level.Find(key);
      if (value == nullptr || !IsOff(value)) {
        return Refuse(format("pre_tokenizer ByteLevel: {} must be false", key));
      }
    }
    const Json* behavior = split.Find("behavior");
    if (behavior == nullptr || behavior->string() == nullptr || *behavior->string() != "Isolated") {
      return Refuse("pre_tokenizer Split: behavior must be Isolated");
    }
    if (!IsOff(split.Find("invert"))) return Refuse("pre_tokenizer Split: invert must be false");
    const Json* pattern = split.Find("pattern");
    const Json* regex = pattern == nullptr ? nullptr : pattern->Find("Regex");
    if (regex == nullptr || regex->string() == nullptr) {
      return Refuse("pre_tokenizer Split: pattern must be a Regex");
    }
    tables_.pattern = *regex->string();
    return Ok();
  }

  Result<std::int32_t> ReadId(const Json* value, std::string_view token) const {
    const std::optional<std::int64_t> id = value == nullptr ? std::nullopt : value->AsInt();
    if (!id || *id < 0 || *id > kMaxId) {
      const std::string shown = value == nullptr             ? "missing"
                                : value->number() != nullptr ? value->number()->text
                                                             : value->TypeName();
      return Refuse(format("the id of token {} is {}, must be an integer from 0 to {}",
                           Quoted(token), shown.substr(0, 40), kMaxId));
    }
    return static_cast<std::int32_t>(*id);
  }

  Status ReadVocabulary(const Json* vocab) {
    if (vocab == nullptr || vocab->object() == nullptr || vocab->object()->empty()) {
      return Refuse(format("{} must be an object with entries", source_.vocabulary));
    }
    Vocabulary& vocabulary = tables_.vocabulary;
    vocabulary.Reserve(vocab->object()->size());
    std::string bytes;
    for (const auto& [spelled, value] : *vocab->object()) {
      GLINT_ASSIGN(const std::int32_t id, ReadId(&value, spelled));
      if (spelled.empty())
        return Refuse(format("{} has an empty token, id {}", source_.vocabulary, id));
      if (vocabulary.Contains(id)) {
        return Refuse(
            format("{} gives id {} twice, also to {}", source_.vocabulary, id, Quoted(spelled)));
      }
      bytes.clear();
      // What is not in the byte alphabet no text can become; it stands for itself when decoded.
      const bool reachable = AppendSpelledBytes(spelled, bytes);
      vocabulary.Add(id, reachable ? bytes : spelled);
      if (reachable && !vocabulary.Index(id)) {
        return Refuse(format("{} has the token {} twice", source_.vocabulary, Quoted(spelled)));
      }
    }
    return Ok();
  }

  Status ReadBytes() {
    for (unsigned byte = 0; byte < 256; ++byte) {
      const std::string text(1, static_cast<char>(byte));
      tables_.byte_ids[byte] = tables_.vocabulary.Find(text);
      if (tables_.byte_ids[byte] != Vocabulary::kNoToken) continue;
      tables_.every_byte = false;
      if (!source_.may_lack_bytes) {
        return Refuse(format("{} has no token for the byte 0x{:02x}, spelled {}",
                             source_.vocabulary, byte, SpellBytes(text)));
      }
    }
    return Ok();
  }

  Status ReadAdded(const Json* list) {
    if (list == nullptr || list->is_null()) return Ok();
    if (list->array() == nullptr) return Refuse(format("{} must be an array", source_.added));
    tables_.added.reserve(list->array()->size());
    std::set<std::string_view> contents;
    for (const Json& entry : *list->array()) {
      const Json* content = entry.Find("content");
      if (content == nullptr || content->string() == nullptr) {
        return Refuse(
            format("{}: an entry has no content, or one that is no string", source_.added));
      }
      if (!contents.insert(*content->string()).second) {
        return Refuse(format("{} has {} twice", source_.added, Quoted(*content->string())));
      }
      GLINT_TRY(AddToken(entry, *content->string()));
    }
    return Ok();
  }

  Status AddToken(const Json& entry, const std::string& content) {
    GLINT_ASSIGN(const std::int32_t id, ReadId(entry.Find("id"), content));
    if (content.empty() || content.size() > kMaxAddedBytes) {
      return Refuse(format("added token {} has {} bytes, must be 1 to {}", id, content.size(),
                           kMaxAddedBytes));
    }
    for (const char* key : {"lstrip", "rstrip", "single_word", "normalized"}) {
      if (!IsOff(entry.Find(key))) {
        return Refuse(format("added token {} ({}): {} is not supported", id, Quoted(content), key));
      }
    }
    Vocabulary& vocabulary = tables_.vocabulary;
    // Either a new token, or a name for the base entry that is spelled like it.
    if (!vocabulary.Contains(id)) {
      if (vocabulary.Find(content) != Vocabulary::kNoToken) {
        return Refuse(format("added token {} ({}) has another id in {}", id, Quoted(content),
                             source_.vocabulary));
      }
      vocabulary.Add(id, content);
    } else if (vocabulary.Bytes(id) != content) {
      return Refuse(format("added token {} ({}): the id already stands for {}", id, Quoted(content),
                           Quoted(vocabulary.Bytes(id))));
    }
    if (is_added_.size() <= static_cast<std::size_t>(id)) {
      is_added_.resize(static_cast<std::size_t>(id) + 1);
    }
    is_added_[static_cast<std::size_t>(id)] = true;
    tables_.added.push_back(
        {.content = content, .id = id, .special = IsTrue(entry.Find("special"))});
    return Ok();
  }

  Status ReadMerges(const Json* list) {
    if (list == nullptr || list->array() == nullptr)
      return Refuse(format("{} must be an array", source_.merges));
    tables_.merges.Reserve(list->array()->size());
    std::uint32_t rank = 0;
    for (const Json& entry : *list->array()) {
      std::string_view left;
      std::string_view right;
      if (!ReadPair(entry, left, right)) {
        return Refuse(
            format("{}[{}] is neither \"LEFT RIGHT\" nor a pair of strings", source_.merges, rank));
      }
      GLINT_TRY(AddMerge(left, right, rank));
      ++rank;
    }
    return Ok();
  }

  static bool ReadPair(const Json& entry, std::string_view& left, std::string_view& right) {
    if (const std::string* line = entry.string()) {
      const std::size_t space = line->find(' ');
      if (space == std::string::npos || line->find(' ', space + 1) != std::string::npos)
        return false;
      left = std::string_view(*line).substr(0, space);
      right = std::string_view(*line).substr(space + 1);
      return true;
    }
    const Json::Array* pair = entry.array();
    if (pair == nullptr || pair->size() != 2) return false;
    if ((*pair)[0].string() == nullptr || (*pair)[1].string() == nullptr) return false;
    left = *(*pair)[0].string();
    right = *(*pair)[1].string();
    return true;
  }

  Status AddMerge(std::string_view left, std::string_view right, std::uint32_t rank) {
    joined_.clear();
    const Vocabulary& vocabulary = tables_.vocabulary;
    const bool spelled_left = AppendSpelledBytes(left, joined_);
    const std::size_t middle = joined_.size();
    const bool spelled = spelled_left && AppendSpelledBytes(right, joined_);
    const std::string_view whole = joined_;
    const std::int32_t left_id =
        spelled ? vocabulary.Find(whole.substr(0, middle)) : Vocabulary::kNoToken;
    const std::int32_t right_id =
        spelled ? vocabulary.Find(whole.substr(middle)) : Vocabulary::kNoToken;
    const std::int32_t id = spelled ? vocabulary.Find(whole) : Vocabulary::kNoToken;
    if (left_id < 0 || right_id < 0 || id < 0) {
      const std::string missing = left_id < 0    ? std::string(left)
                                  : right_id < 0 ? std::string(right)
                                                 : std::string(left) + std::string(right);
      return Refuse(format("{}[{}] needs the token {}, which {} does not have", source_.merges,
                           rank, Quoted(missing), source_.vocabulary));
    }
    // A text whose added tokens are not to be matched must not become one by merging either.
    const auto index = static_cast<std::size_t>(id);
    const bool makes_added = index < is_added_.size() && is_added_[index];
    if (!makes_added) tables_.merges.Put(left_id, right_id, {.rank = rank, .id = id});
    return Ok();
  }

  const Json& file_;
  std::string_view where_;
  TokenizerSource source_;
  TokenizerTables tables_;
  std::vector<bool> is_added_;  // by id
  std::string joined_;
};

}  // namespace

Result<TokenizerTables> ReadTokenizerFile(std::string_view json, std::string_view where) {
  if (json.size() > kMaxFileBytes) {
    return InvalidArgument(
        format("{}: {} bytes, must be at most {}", where, json.size(), kMaxFileBytes));
  }
  GLINT_ASSIGN(const Json file, ParseJson(json, where, kJsonLimits));
  return Reader(file, where, {}).Read();
}

Result<TokenizerTables> ReadTokenizerObject(const Json& file, std::string_view where,
                                            const TokenizerSource& source) {
  return Reader(file, where, source).Read();
}

}  // namespace glint::text
