// SPDX-License-Identifier: Apache-2.0
#include "text/detokenizer.h"

#include "base/utf8.h"

namespace glint::text {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

}  // namespace

std::string Detokenizer::Push(std::int32_t id) {
  if (skip_special_ && tokenizer_->IsSpecial(id)) return {};
  waiting_ += tokenizer_->Bytes(id);
  std::string text;
  std::string_view rest = waiting_;
  while (!rest.empty()) {
    const std::size_t well_formed = Utf8PrefixLength(rest);
    text += rest.substr(0, well_formed);
    rest.remove_prefix(well_formed);
    if (rest.empty()) break;
    const Utf8Damage damage = DamageAtStart(rest);
    if (damage.cut_short) break;
    text += kReplacement;
    rest.remove_prefix(damage.bytes);
  }
  waiting_.erase(0, waiting_.size() - rest.size());
  return text;
}

std::string Detokenizer::Finish() {
  const bool waits = !waiting_.empty();
  waiting_.clear();
  return std::string(waits ? kReplacement : "");
}

}  // namespace glint::text
