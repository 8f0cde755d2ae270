// SPDX-License-Identifier: Apache-2.0
#include "text/internal/string_format.h"

#include <utility>

namespace glint::text {
namespace {

// RFC 3339, section 5.6. The 29th of February is left out: which years have one is not regular
// enough to be worth it.
#define GLINT_DATE                                                                          \
  "[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][" \
  "0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))"
#define GLINT_TIME                                                                  \
  "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-" \
  "9]|2[0-3]):[0-5][0-9])"
// RFC 1123, section 2.1: labels of up to 63 characters.
#define GLINT_LABEL "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
#define GLINT_BYTE "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
#define GLINT_ATOM "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]"

constexpr std::pair<std::string_view, std::string_view> kPatterns[] = {
    {"date", GLINT_DATE},
    {"time", GLINT_TIME},
    {"date-time", GLINT_DATE "T" GLINT_TIME},
    // RFC 3339, appendix A.
    {"duration",
     "P(?:[0-9]{1,9}W|(?:[0-9]{1,9}D|[0-9]{1,9}M(?:[0-9]{1,9}D)?|[0-9]{1,9}Y(?:[0-9]{1,9}M(?:[0-9]{"
     "1,9}D)?)?)(?:T(?:[0-9]{1,9}H(?:[0-9]{1,9}M(?:[0-9]{1,9}S)?)?|[0-9]{1,9}M(?:[0-9]{1,9}S)?|[0-"
     "9]{1,9}S))?|T(?:[0-9]{1,9}H(?:[0-9]{1,9}M(?:[0-9]{1,9}S)?)?|[0-9]{1,9}M(?:[0-9]{1,9}S)?|[0-"
     "9]{1,9}S))"},
    // RFC 9562, section 4.
    {"uuid", "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"},
    // RFC 5321, section 4.1.2: a dot-string of limited length and a domain.
    {"email",
     GLINT_ATOM "{1,32}(?:\\." GLINT_ATOM "{1,16}){0,1}@" GLINT_LABEL "(?:\\." GLINT_LABEL ")*"},
    {"hostname", GLINT_LABEL "(?:\\." GLINT_LABEL "){0,3}"},
    // RFC 2673, section 3.2.
    {"ipv4", GLINT_BYTE "\\." GLINT_BYTE "\\." GLINT_BYTE "\\." GLINT_BYTE},
};

#undef GLINT_DATE
#undef GLINT_TIME
#undef GLINT_LABEL
#undef GLINT_BYTE
#undef GLINT_ATOM

}  // namespace

std::optional<std::string_view> PatternOfFormat(std::string_view format) {
  for (const auto& [name, pattern] : kPatterns) {
    if (name == format) return pattern;
  }
  return std::nullopt;
}

}  // namespace glint::text
