# SPDX-License-Identifier: Apache-2.0
# Sourced after setup.sh by the tasks that end with "N passed, N failed, N skipped".
# Set by the task: `results`, the folder under build/ that summary.py counts.

start_steps() {
  results=$root/build/results/$1
  rm -rf "$results"
  mkdir -p "$results"
}

# step NAME COMMAND...: runs it, prints its time and notes its exit code, which it returns. A
# command that runs tests leaves their outcome in $results/NAME.xml (JUnit).
step() {
  local name=$1 start=$SECONDS code=0
  shift
  printf '\n== %s\n' "$name"
  "$@" || code=$?
  echo "$code $name" >>"$results/steps"
  printf '== %s: %s, %d s\n' "$name" "$( ((code)) && echo "FAILED ($code)" || echo ok)" \
    $((SECONDS - start))
  return $code
}

# skip NAME REASON: a step that cannot run on this machine.
skip() {
  printf '\nSKIPPED %s: %s\n' "$1" "$2"
  echo "skipped $1" >>"$results/steps"
}

# ctest_step PRESET [OPTION...]: the tests of a preset that is built.
ctest_step() {
  step "ctest $1" ctest --preset "$1" --label-exclude '^(slow|gpu)$' --no-tests=error \
    --parallel "$(nproc)" --progress --output-junit "$results/ctest $1.xml" "${@:2}"
}

# Prints the closing line; fails when a step did, or when nothing ran.
end_steps() {
  printf '\n%d s in all\n' "$SECONDS"
  python3 tools/summary.py "$results"
}
