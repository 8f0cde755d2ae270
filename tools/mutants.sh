# SPDX-License-Identifier: Apache-2.0
# mutants [NAME]
source "$(dirname "$0")/setup.sh"
(($# <= 1)) || usage 'mutants takes one NAME or nothing'

need "${build_packages[@]}" "${test_packages[@]}"
exec python3 tools/mutants/mutants.py "$@"
