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
for preset in asan tsan; do
  step "build $preset" bash tools/build.sh "$preset" && ctest_step "$preset" || true
done
# Good and damaged checkpoints through the whole program, under AddressSanitizer.
need_venv
GLINT_BINARY=$root/build/asan/glint step 'pytest asan' \
  .venv/bin/python -m pytest -q tests/program --junitxml "$results/pytest asan.xml" || true
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
