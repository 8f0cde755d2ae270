# SPDX-License-Identifier: Apache-2.0
# test
source "$(dirname "$0")/setup.sh"
source tools/steps.sh
(($# == 0)) || usage 'test takes no arguments'

start_steps test
need "${test_packages[@]}"
need_venv
if step 'build release' bash tools/build.sh release; then
  ctest_step release || true
  GLINT_BINARY=$root/build/release/glint step 'pytest' \
    .venv/bin/python -m pytest -q tests/program --junitxml "$results/pytest.xml" || true
fi
end_steps
