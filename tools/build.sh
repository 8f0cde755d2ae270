# SPDX-License-Identifier: Apache-2.0
# build [PRESET] [TARGET...]
source "$(dirname "$0")/setup.sh"

preset=${1:-release}
presets=$(sed -n 's/.*"name": "\([a-z]*\)", "configurePreset".*/\1/p' CMakePresets.json | sort -u)
grep -qxF -- "$preset" <<<"$presets" ||
  usage "build: no preset named '$preset', there are: ${presets//$'\n'/, }"

need "${build_packages[@]}"
[[ $preset != fuzz ]] || need "${clang_packages[@]}"
configured=$(cmake --preset "$preset" 2>&1) || die "$configured"
cmake --build --preset "$preset" --parallel "$(nproc)" ${2:+--target "${@:2}"}
