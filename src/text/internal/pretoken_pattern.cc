// SPDX-License-Identifier: Apache-2.0
#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/internal/pretoken_pattern.h"

#include <pcre2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "base/format.h"
#include "base/utf8.h"

namespace glint::text {
namespace {

constexpr std::size_t kMaxPatternBytes = 16'384;
// Memory of one match when the interpreter runs it.
constexpr std::uint32_t kHeapLimitKib = 65'536;

bool IsAsciiAlphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// Turns an Oniguruma pattern into one that PCRE2 understands in the same way, or says what it
// cannot translate.
class Translator {
 public:
  explicit Translator(std::string_view pattern) : rest_(pattern) {}

  Result<std::string> Translate() {
    while (!rest_.empty()) {
      GLINT_TRY(rest_[0] == '\\' ? Escape() : in_class_ ? ClassMember() : Outside());
    }
    return std::move(out_);
  }

 private:
  void Copy(std::size_t count) {
    out_ += rest_.substr(0, count);
    rest_.remove_prefix(count);
  }

  Status Escape() {
    if (rest_.size() < 2) return InvalidArgument("it ends in a backslash");
    const char escaped = rest_[1];
    if (escaped == 's' || escaped == 'S') {
      out_ += escaped == 's' ? "\\p{White_Space}" : "\\P{White_Space}";
      rest_.remove_prefix(2);
      return Ok();
    }
    // These mean the same in both. Punctuation stands for itself.
    constexpr std::string_view kSame = "pPrntfdDx";
    if (IsAsciiAlphanumeric(escaped) && kSame.find(escaped) == std::string_view::npos) {
      return InvalidArgument(format("\\{} is not supported", escaped));
    }
    Copy(2);
    return Ok();
  }

  Status ClassMember() {
    if (rest_[0] == '[') return InvalidArgument("a class within a class is not supported");
    if (rest_.starts_with("&&")) return InvalidArgument("&& in a class is not supported");
    in_class_ = rest_[0] != ']';
    Copy(1);
    return Ok();
  }

  Status Outside() {
    if (rest_[0] == '^' || rest_[0] == '$') {
      return InvalidArgument(format("the anchor {} is not supported", rest_[0]));
    }
    if (rest_[0] == '[') {
      in_class_ = true;
      Copy(rest_.starts_with("[^") ? 2 : 1);
      if (rest_.starts_with(']')) return InvalidArgument("an empty class is not supported");
      return Ok();
    }
    if (rest_.starts_with("(?") || rest_.starts_with("(*")) return Group();
    Copy(1);
    return Ok();
  }

  Status Group() {
    for (const std::string_view start :
         {"(?:", "(?i:", "(?i)", "(?=", "(?!", "(?<=", "(?<!", "(?>"}) {
      if (!rest_.starts_with(start)) continue;
      Copy(start.size());
      return Ok();
    }
    return InvalidArgument(format("the group {} is not supported", Quoted(rest_.substr(0, 4))));
  }

  std::string_view rest_;
  std::string out_;
  bool in_class_ = false;
};

std::string Pcre2Message(int code) {
  std::array<PCRE2_UCHAR8, 256> text = {};
  pcre2_get_error_message(code, text.data(), text.size());
  return std::string(reinterpret_cast<const char*>(text.data()));
}

}  // namespace

void PretokenPattern::FreeCode::operator()(pcre2_real_code_8* code) const { pcre2_code_free(code); }

Result<PretokenPattern> PretokenPattern::Compile(std::string_view pattern, std::string_view where) {
  const auto refuse = [&](std::string_view reason) {
    return InvalidArgument(format("{}: the pattern {}: {}", where, Quoted(pattern), reason));
  };
  if (pattern.size() > kMaxPatternBytes) {
    return refuse(format("longer than {} bytes", kMaxPatternBytes));
  }
  if (!IsUtf8(pattern)) return refuse("not UTF-8");
  const Result<std::string> translated = Translator(pattern).Translate();
  if (!translated.ok()) return refuse(translated.error().message);
  const std::string& text = translated.value();
  int failure = 0;
  PCRE2_SIZE position = 0;
  pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                                   PCRE2_UTF | PCRE2_UCP, &failure, &position, nullptr);
  if (code == nullptr) return refuse(Pcre2Message(failure));
  PretokenPattern compiled(code);
  std::uint32_t matches_nothing = 0;
  pcre2_pattern_info(code, PCRE2_INFO_MATCHEMPTY, &matches_nothing);
  if (matches_nothing != 0) return refuse("it can match nothing at all");
  // Where this fails (no executable memory), pcre2_match interprets: slower, same result.
  pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
  return compiled;
}

void PretokenReader::FreeMatchContext::operator()(pcre2_real_match_context_8* context) const {
  pcre2_match_context_free(context);
}

void PretokenReader::FreeMatchData::operator()(pcre2_real_match_data_8* data) const {
  pcre2_match_data_free(data);
}

PretokenReader::PretokenReader(const PretokenPattern& pattern)
    : pattern_(pattern),
      context_(pcre2_match_context_create(nullptr)),
      data_(pcre2_match_data_create(1, nullptr)) {
  GLINT_CHECK(context_ != nullptr && data_ != nullptr, "memory for PCRE2");
  pcre2_set_heap_limit(context_.get(), kHeapLimitKib);
}

void PretokenReader::Start(std::string_view text) {
  text_ = text;
  taken_ = match_begin_ = match_end_ = 0;
  // A sane pattern takes a few steps for a character that it looks at.
  const std::uint64_t steps = 100'000 + std::uint64_t{32} * text.size();
  pcre2_set_match_limit(context_.get(),
                        static_cast<std::uint32_t>(std::min<std::uint64_t>(steps, 1U << 31U)));
}

std::optional<std::string_view> PretokenReader::Next() {
  if (taken_ == text_.size()) return std::nullopt;
  if (match_end_ <= taken_) FindMatch();
  const std::size_t begin = taken_;
  taken_ = match_begin_ > begin ? match_begin_ : match_end_;
  return text_.substr(begin, taken_ - begin);
}

void PretokenReader::FindMatch() {
  const auto match = [&](std::uint32_t options) {
    return pcre2_match(pattern_.code_.get(), reinterpret_cast<PCRE2_SPTR>(text_.data()),
                       text_.size(), taken_, PCRE2_NO_UTF_CHECK | options, data_.get(),
                       context_.get());
  };
  int found = match(0);
  // The compiled code's stack is small; the interpreter's is not.
  if (found == PCRE2_ERROR_JIT_STACKLIMIT) found = match(PCRE2_NO_JIT);
  const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(data_.get());
  match_begin_ = found < 0 ? text_.size() : bounds[0];
  match_end_ = found < 0 ? text_.size() : bounds[1];
}

}  // namespace glint::text
