# SPDX-License-Identifier: Apache-2.0
# check
source "$(dirname "$0")/setup.sh"
source tools/steps.sh
(($# == 0)) || usage 'check takes no arguments'

# The commit to lint from: the newest that is older than a session's work, else the empty tree.
lint_base() {
  local commit
  commit=$(git rev-list -1 --before='4 hours ago' HEAD)
  echo "${commit:-$(git hash-object -t tree /dev/null)}"
}

start_steps check
need "${build_packages[@]}" "${test_packages[@]}"
step 'build asan' bash tools/build.sh asan && ctest_step asan || true
# Of the unit tests, those of modules that have threads, or run on somebody's.
threaded=(device_test kernels_test model_test engine_test server_test load_test golden_test glint)
step 'build tsan' bash tools/build.sh tsan "${threaded[@]}" &&
  ctest_step tsan --exclude-regex '_NOT_BUILT|_replay$' || true
# The whole program under AddressSanitizer, but for the load generator's tests: those compare times,
# which a sanitizer changes (its unit tests run above).
need_venv
GLINT_BINARY=$root/build/asan/glint step 'pytest asan' \
  .venv/bin/python -m pytest -q tests/program --ignore tests/program/test_bench_serve.py \
  --junitxml "$results/pytest asan.xml" || true
# Many clients at once, under ThreadSanitizer.
GLINT_BINARY=$root/build/tsan/glint step 'pytest tsan' \
  .venv/bin/python -m pytest -q tests/program/test_serve.py tests/program/test_serve_load.py \
  --junitxml "$results/pytest tsan.xml" || true
if need "${clang_packages[@]}"; then
  step format bash tools/format.sh --check || true
  step lint bash tools/lint.sh --since "$(lint_base)" || true
  step fuzz bash tools/fuzz.sh 20 || true
else
  for name in format lint fuzz; do
    skip "$name" "${clang_packages[*]} cannot be installed"
  done
fi
end_steps
