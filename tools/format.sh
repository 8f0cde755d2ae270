# SPDX-License-Identifier: Apache-2.0
# format [--check]
source "$(dirname "$0")/setup.sh"

case "$*" in
  '') options=(-i) ;;
  --check) options=(--dry-run -Werror) ;;
  *) usage "format takes --check or nothing, not '$*'" ;;
esac
need "${clang_packages[@]}"
cpp_files | xargs -d '\n' clang-format-19 "${options[@]}"
