// SPDX-License-Identifier: Apache-2.0
#include "text/internal/string_format.h"

#include <utility>

namespace glint::text {
namespace {

// RFC 3339, section 5.6. The 29th of February is left out: which years have one is not regular
// enough to be worth it.
#define GLINT_DATE                                            \
  "[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])" \
  "|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))"
#define GLINT_HOUR_MINUTE "(?:[01][0-9]|2[0-3]):[0-5][0-9]"
#define GLINT_TIME GLINT_HOUR_MINUTE ":[0-5][0-9](?:\\.[0-9]{1,9})?(?:Z|[+-]" GLINT_HOUR_MINUTE ")"
// RFC 3339, appendix A.
#define GLINT_DAYS "(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)"
#define GLINT_HOURS "T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)"
// RFC 1123, section 2.1.
#define GLINT_LABEL "[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*"
#define GLINT_BYTE "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
#define GLINT_ATOM "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]"

constexpr std::pair<std::string_view, std::string_view> kPatterns[] = {
    {"date", GLINT_DATE},
    {"time", GLINT_TIME},
    {"date-time", GLINT_DATE "T" GLINT_TIME},
    {"duration", "P(?:[0-9]+W|" GLINT_DAYS "(?:" GLINT_HOURS ")?|" GLINT_HOURS ")"},
    // RFC 9562, section 4.
    {"uuid", "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"},
    // RFC 5321, section 4.1.2: a dot-string and a domain.
    {"email", GLINT_ATOM "+(?:\\." GLINT_ATOM "+)*@" GLINT_LABEL "(?:\\." GLINT_LABEL ")*"},
    {"hostname", GLINT_LABEL "(?:\\." GLINT_LABEL ")*"},
    // RFC 2673, section 3.2.
    {"ipv4", GLINT_BYTE "\\." GLINT_BYTE "\\." GLINT_BYTE "\\." GLINT_BYTE},
};

#undef GLINT_DATE
#undef GLINT_HOUR_MINUTE
#undef GLINT_TIME
#undef GLINT_DAYS
#undef GLINT_HOURS
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
