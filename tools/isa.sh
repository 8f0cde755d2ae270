# SPDX-License-Identifier: Apache-2.0
# isa
source "$(dirname "$0")/setup.sh"
(($# == 0)) || usage 'isa takes no arguments'

# Prints how many tests of an instruction set passed, and how many the machine could not run.
tests_of() {
  local isa=$1 program=$2 filter=$3 output
  output=$("$program" --gtest_brief=1 --gtest_filter="$filter" 2>&1) || {
    printf '%s\n' "$output" >&2
    die "isa: $(basename "$program") failed with $isa"
  }
  # The last lines of GoogleTest: "[  PASSED  ] 3 tests." and "[  SKIPPED ] 1 test, listed below:".
  sed -nE 's/^\[  (PASSED|SKIPPED )[ ]*\] ([0-9]+) tests?[.,].*/\1 \2/p' <<<"$output" |
    awk '$1 == "PASSED" { passed = $2 } $1 == "SKIPPED" { skipped = $2 }
         END { print passed + 0, skipped + 0 }'
}

bash tools/build.sh release kernels_test golden_test >&2
isas=$(sed -n 's/^const char\* IsaName.*IsaEntry(isa, \(.*\)); }$/\1/p' src/kernels/isa.cc | tr -d '",')
[[ -n $isas ]] || die 'isa: the names are not where they were, in src/kernels/isa.cc'
printf '%-10s %-14s %14s %14s\n' path here 'kernel tests' 'model tests'
for isa in $isas; do
  read -r kernels skipped < <(tests_of "$isa" build/release/src/kernels/kernels_test \
    "*/$isa:*/${isa}_*")
  read -r models _ < <(tests_of "$isa" build/release/tests/golden_test "*_$isa")
  state=ran
  ((kernels > 0)) || state='cannot run'
  ((kernels + skipped > 0)) || die "isa: no test has $isa in its name"
  printf '%-10s %-14s %14s %14s\n' "$isa" "$state" "$kernels" "$models"
done
