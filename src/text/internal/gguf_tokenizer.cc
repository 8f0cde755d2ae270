// SPDX-License-Identifier: Apache-2.0
#include "text/internal/gguf_tokenizer.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/format.h"

namespace glint::text {
namespace {

// GLM's, which are Llama 3's.
constexpr std::string_view kGlmPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
// GPT-2's after every digit is cut off on its own: a digit never follows a space, and white space
// before one is taken whole, as at the end of a text.
constexpr std::string_view kSmolPattern =
    R"('s|'t|'re|'ve|'m|'ll|'d|\p{N}| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?![^\s\p{N}])|\s+)";

struct PreTokenizer {
  std::string_view name;
  std::string_view pattern;
  bool ignore_merges;
};

constexpr PreTokenizer kPreTokenizers[] = {
    {"glm4", kGlmPattern, true},      {"chatglm-bpe", kGlmPattern, true},
    {"llama-bpe", kGlmPattern, true}, {"smollm", kSmolPattern, false},
    {"gpt-2", kGpt2Pattern, false},
};

// Kinds of tokens, as numbered in tokenizer.ggml.token_type.
constexpr std::int64_t kNormal = 1;
constexpr std::int64_t kUnknown = 2;
constexpr std::int64_t kControl = 3;
constexpr std::int64_t kUserDefined = 4;
constexpr std::int64_t kUnused = 5;  // rows that pad the embedding

constexpr const char* kTokens = "tokenizer.ggml.tokens";
constexpr const char* kTypes = "tokenizer.ggml.token_type";
constexpr const char* kMerges = "tokenizer.ggml.merges";

// Builds the tokenizer.json that the metadata means.
class Translator {
 public:
  Translator(const Json& metadata, std::string_view where) : metadata_(metadata), where_(where) {}

  Result<TokenizerTables> Translate() {
    GLINT_TRY(CheckModel());
    GLINT_ASSIGN(const PreTokenizer pre, FindPreTokenizer());
    GLINT_TRY(ReadTokens());
    GLINT_ASSIGN(const Json::Array* merges, Array(kMerges));
    const Json::Object model = {{"type", "BPE"},
                                {"ignore_merges", pre.ignore_merges},
                                {"vocab", std::move(vocabulary_)},
                                {"merges", *merges}};
    const Json split = Json::Object{{"type", "Split"},
                                    {"pattern", Json::Object{{"Regex", pre.pattern}}},
                                    {"behavior", "Isolated"}};
    const Json bytes =
        Json::Object{{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
    const Json file = Json::Object{
        {"pre_tokenizer",
         Json::Object{{"type", "Sequence"}, {"pretokenizers", Json::Array{split, bytes}}}},
        {"decoder", Json::Object{{"type", "ByteLevel"}}},
        {"model", model},
        {"added_tokens", std::move(added_)}};
    return ReadTokenizerObject(
        file, where_,
        {.vocabulary = kTokens, .merges = kMerges, .added = kTokens, .may_lack_bytes = true});
  }

 private:
  [[nodiscard]] Error Bad(std::string_view key, std::string_view what) const {
    return InvalidArgument(format("{}: key \"{}\": {}", where_, key, what));
  }

  [[nodiscard]] Result<std::string> Text(const char* key) const {
    const Json* value = metadata_.Find(key);
    if (value == nullptr) return Bad(key, "is missing");
    if (value->string() == nullptr) {
      return Bad(key, format("is {}, must be a string", value->TypeName()));
    }
    return *value->string();
  }

  [[nodiscard]] Result<const Json::Array*> Array(const char* key) const {
    const Json* value = metadata_.Find(key);
    if (value == nullptr) return Bad(key, "is missing");
    if (value->array() == nullptr) {
      return Bad(key, format("is {}, must be an array", value->TypeName()));
    }
    return value->array();
  }

  [[nodiscard]] Status CheckModel() const {
    GLINT_ASSIGN(const std::string model, Text("tokenizer.ggml.model"));
    if (model != "gpt2") {
      return Bad("tokenizer.ggml.model",
                 format("is {}, only \"gpt2\" (byte-level BPE) is supported", Quoted(model)));
    }
    const Json* space = metadata_.Find("tokenizer.ggml.add_space_prefix");
    if (space != nullptr && space->boolean() != nullptr && *space->boolean()) {
      return Bad("tokenizer.ggml.add_space_prefix", "is true, which is not supported");
    }
    return Ok();
  }

  [[nodiscard]] Result<PreTokenizer> FindPreTokenizer() const {
    GLINT_ASSIGN(const std::string name, Text("tokenizer.ggml.pre"));
    std::string known;
    for (const PreTokenizer& one : kPreTokenizers) {
      if (one.name == name) return one;
      known += (known.empty() ? "" : ", ") + std::string(one.name);
    }
    return Bad("tokenizer.ggml.pre",
               format("{} is not supported, must be one of {}", Quoted(name), known));
  }

  // Without types, every token is a normal one.
  Status ReadTokens() {
    GLINT_ASSIGN(const Json::Array* tokens, Array(kTokens));
    const Json::Array* types = nullptr;
    if (metadata_.Find(kTypes) != nullptr) {
      GLINT_ASSIGN(types, Array(kTypes));
      if (types->size() != tokens->size()) {
        return Bad(kTypes,
                   format("has {} items, {} has {}", types->size(), kTokens, tokens->size()));
      }
    }
    vocabulary_.reserve(tokens->size());
    for (std::size_t id = 0; id < tokens->size(); ++id) {
      const std::string* text = (*tokens)[id].string();
      if (text == nullptr) {
        return Bad(kTokens,
                   format("item {} is {}, must be a string", id, (*tokens)[id].TypeName()));
      }
      const auto type = types == nullptr ? kNormal : (*types)[id].AsInt().value_or(0);
      GLINT_TRY(AddToken(static_cast<std::int64_t>(id), *text, type));
    }
    return Ok();
  }

  Status AddToken(std::int64_t id, const std::string& text, std::int64_t type) {
    switch (type) {
      case kNormal:
        vocabulary_.emplace_back(text, id);
        return Ok();
      case kUnknown:
      case kControl:
      case kUserDefined:
        added_.push_back(
            Json::Object{{"id", id}, {"content", text}, {"special", type != kUserDefined}});
        return Ok();
      case kUnused:
        return Ok();
      default:
        return Bad(kTypes,
                   format("item {} ({}) is of type {}, must be 1 to 5", id, Quoted(text), type));
    }
  }

  const Json& metadata_;
  std::string_view where_;
  Json::Object vocabulary_;
  Json::Array added_;
};

}  // namespace

Result<TokenizerTables> ReadGgufTokenizer(const Json& metadata, std::string_view where) {
  return Translator(metadata, where).Translate();
}

}  // namespace glint::text
