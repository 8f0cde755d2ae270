// SPDX-License-Identifier: Apache-2.0
#include "apps/tokenize/tokenize_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "apps/model_tokenizer.h"
#include "base/flags.h"
#include "base/format.h"
#include "base/json.h"
#include "base/log.h"
#include "eval/logits.h"
#include "tensor/model_files.h"
#include "tensor/read_text_file.h"
#include "text/tokenizer.h"

namespace glint {
namespace {

constexpr std::int64_t kMaxFileBytes = 1'000'000'000;

struct TokenizeFlags {
  std::string model;
  std::string text;
  std::string file;
  std::string ids;
  std::string json_lines;
  bool json = false;
  bool no_special = false;
  void Visit(FlagVisitor& visitor) {
    visitor.Positional(model, "MODEL",
                       "a folder with tokenizer.json, such a file, or a .gguf file");
    visitor.Flag(text, "text", "TEXT", "encode this text");
    visitor.Flag(file, "file", "FILE", "encode all of a file, whatever its bytes");
    visitor.Flag(ids, "ids", "LIST", "decode these ids, separated by commas or spaces");
    visitor.Flag(json_lines, "json-lines", "FILE",
                 "one JSON value a line: a string is encoded, an array of ids decoded");
    visitor.Flag(json, "json", "", "print one JSON object");
    visitor.Flag(no_special, "no-special", "",
                 "encoding: \"<|user|>\" and the like stay text; decoding: special tokens go");
  }
};

Result<std::unique_ptr<const text::Tokenizer>> ParseFile(const std::filesystem::path& path) {
  GLINT_ASSIGN(const std::string json, tensor::ReadTextFile(path, kMaxFileBytes));
  return text::Tokenizer::Parse(json, path.string());
}

Result<std::unique_ptr<const text::Tokenizer>> OpenTokenizer(const std::string& model) {
  std::error_code failure;  // what is not there is no regular file
  const std::filesystem::path path(model);
  const bool gguf = path.extension() == ".gguf";
  if (!gguf && std::filesystem::is_regular_file(path, failure)) return ParseFile(path);
  // A folder may have nothing but the tokenizer.
  const std::filesystem::path in_folder = path / "tokenizer.json";
  if (std::filesystem::is_regular_file(in_folder, failure)) return ParseFile(in_folder);
  GLINT_ASSIGN(const tensor::ModelFiles files, tensor::FindModelFiles(model));
  return ReadModelTokenizer(files);
}

// The command, once its flags are parsed.
class Tokenizing {
 public:
  static Result<Tokenizing> Open(const TokenizeFlags& flags) {
    GLINT_ASSIGN(auto tokenizer, OpenTokenizer(flags.model));
    return Tokenizing(flags, std::move(tokenizer));
  }

  [[nodiscard]] Status Print() const {
    if (!flags_.json_lines.empty()) return PrintLines();
    if (!flags_.ids.empty()) {
      GLINT_ASSIGN(const auto ids, eval::ParseIds(flags_.ids, tokenizer_->size(), "--ids"));
      const std::string text = tokenizer_->Decode(ids, flags_.no_special);
      Write(flags_.json ? Json(Json::Object{{"text", text}}).Write() : text);
      return Ok();
    }
    std::string text = flags_.text;
    if (!flags_.file.empty()) {
      GLINT_ASSIGN(text, tensor::ReadTextFile(flags_.file, kMaxFileBytes));
    }
    const std::vector<std::int32_t> ids = Encode(text);
    Write(flags_.json ? Describe(ids).Write() : format("{}", fmt::join(ids, " ")));
    return Ok();
  }

 private:
  Tokenizing(const TokenizeFlags& flags, std::unique_ptr<const text::Tokenizer> tokenizer)
      : flags_(flags), tokenizer_(std::move(tokenizer)) {}

  static void Write(std::string line) {
    line += '\n';
    std::fwrite(line.data(), 1, line.size(), stdout);
  }

  [[nodiscard]] std::vector<std::int32_t> Encode(std::string_view text) const {
    using AddedTokens = text::Tokenizer::AddedTokens;
    return tokenizer_->Encode(text, flags_.no_special ? AddedTokens::kIgnore : AddedTokens::kMatch);
  }

  // The ids, and what each stands for; half a character shows as U+FFFD.
  [[nodiscard]] Json Describe(const std::vector<std::int32_t>& ids) const {
    Json::Array numbers;
    Json::Array tokens;
    numbers.reserve(ids.size());
    tokens.reserve(ids.size());
    for (const std::int32_t id : ids) {
      numbers.emplace_back(id);
      tokens.emplace_back(tokenizer_->Decode({&id, 1}, false));
    }
    return Json::Object{{"ids", std::move(numbers)}, {"tokens", std::move(tokens)}};
  }

  [[nodiscard]] Status PrintLines() const {
    GLINT_ASSIGN(const std::string lines, tensor::ReadTextFile(flags_.json_lines, kMaxFileBytes));
    std::size_t number = 1;
    for (std::size_t at = 0; at < lines.size(); ++number) {
      const std::size_t end = std::min(lines.find('\n', at), lines.size());
      const std::string where = format("{}, line {}", flags_.json_lines, number);
      GLINT_ASSIGN(const Json line, ParseJson(std::string_view(lines).substr(at, end - at), where));
      if (const std::string* text = line.string()) {
        Write(format("[{}]", fmt::join(Encode(*text), ",")));
      } else {
        GLINT_ASSIGN(const std::vector<std::int32_t> ids, IdsOf(line, where));
        Write(Json(tokenizer_->Decode(ids, flags_.no_special)).Write());
      }
      at = end + 1;
    }
    return Ok();
  }

  [[nodiscard]] Result<std::vector<std::int32_t>> IdsOf(const Json& line,
                                                        const std::string& where) const {
    if (line.array() == nullptr) {
      return InvalidArgument(
          format("{}: {}, must be a string or an array of ids", where, line.TypeName()));
    }
    std::vector<std::int32_t> ids;
    ids.reserve(line.array()->size());
    for (const Json& item : *line.array()) {
      const std::optional<std::int64_t> id = item.AsInt();
      if (!id || *id < 0 || *id >= tokenizer_->size()) {
        return InvalidArgument(format("{}: {} is no token id, must be 0 to {}", where,
                                      Quoted(item.Write()), tokenizer_->size() - 1));
      }
      ids.push_back(static_cast<std::int32_t>(*id));
    }
    return ids;
  }

  TokenizeFlags flags_;
  std::unique_ptr<const text::Tokenizer> tokenizer_;
};

Status Tokenize(const TokenizeFlags& flags) {
  GLINT_ASSIGN(const Tokenizing tokenizing, Tokenizing::Open(flags));
  return tokenizing.Print();
}

}  // namespace

int RunTokenize(const std::vector<std::string>& arguments) {
  TokenizeFlags flags;
  const CommandText text{
      .name = "glint tokenize",
      .summary =
          "Turns text into the token ids that a model reads, or ids into text. Give one of "
          "--text, --file, --ids and --json-lines.",
      .examples =
          "  glint tokenize ./GLM-5.2 --text 'Hello, world'          the ids\n"
          "  glint tokenize ./GLM-5.2 --text 'Hello, world' --json   and what each stands for\n"
          "  glint tokenize ./GLM-5.2 --ids 154827,9703              back to text\n"
          "  glint tokenize ./GLM-5.2 --text '<|user|>' --no-special  as a server reads a user"};
  const FlagOutcome outcome = ParseFlags(text, arguments, flags);
  if (!outcome.run) {
    std::fputs(outcome.text.c_str(), outcome.exit_code == 0 ? stdout : stderr);
    return outcome.exit_code;
  }
  int given = 0;
  for (const std::string* input : {&flags.text, &flags.file, &flags.ids, &flags.json_lines}) {
    given += input->empty() ? 0 : 1;
  }
  if (given != 1) {
    std::fputs(
        "glint tokenize: give one of --text, --file, --ids and --json-lines\n"
        "Try 'glint tokenize --help'.\n",
        stderr);
    return 2;
  }
  const Status status = Tokenize(flags);
  if (status.ok()) return 0;
  LogError(status.error().message);
  return 1;
}

}  // namespace glint
