# SPDX-License-Identifier: Apache-2.0
# fuzz SECONDS [TARGET]
# Starts from tests/corpus/TARGET; what it learns stays in build/fuzz/corpus/TARGET. An input that
# breaks a target is kept in build/fuzz/crashes: fix the target, then add it to tests/corpus.
source "$(dirname "$0")/setup.sh"

[[ ${1:-} =~ ^[1-9][0-9]*$ && $# -le 2 ]] || usage 'fuzz takes SECONDS (1 or more) and a TARGET'
seconds=$1
mapfile -t targets < <(cpp_files | sed -n 's:.*/\([^/]*_fuzz\)\.cc$:\1:p')
if (($# == 2)); then
  [[ " ${targets[*]} " == *" $2 "* ]] || usage "fuzz: no target '$2', there are: ${targets[*]}"
  targets=("$2")
fi
bash tools/build.sh fuzz "${targets[@]}"

# fuzz_one TARGET: its log is shown when it finds something.
fuzz_one() {
  local target=$1 corpus=build/fuzz/corpus/$1 crashes=build/fuzz/crashes/$1 log=build/fuzz/$1.log
  local program
  program=$(find build/fuzz -name "$target" -type f -perm -u+x)
  mkdir -p "$corpus" "$crashes"
  if "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$crashes/" "$corpus" "tests/corpus/$target" >"$log" 2>&1; then
    echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs, nothing found"
  else
    tail -n 40 "$log"
    echo "$target: FAILED, input $(sed -n 's/.*Test unit written to //p' "$log"), log $log"
    return 1
  fi
}
export -f fuzz_one
export seconds
printf '%s\n' "${targets[@]}" | xargs -P 2 -I '{}' bash -euo pipefail -c 'fuzz_one {}'
