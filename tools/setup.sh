# SPDX-License-Identifier: Apache-2.0
# Sourced by each task: goes to the root of the repository and gives the functions that install
# what a task needs. They are fast when nothing is missing.
set -euo pipefail
caller=$PWD
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
root=$PWD

# Objects compiled in one clone are found from another.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=true

build_packages=(build-essential cmake ninja-build ccache git libgtest-dev nlohmann-json3-dev
  libcli11-dev libspdlog-dev libfmt-dev libboost1.81-dev libpcre2-dev prometheus-cpp-dev
  libyaml-cpp-dev libssl-dev)
test_packages=(python3 python3-venv openssl)
demo_packages=(curl jq)
clang_packages=(clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev)
fresh_packages=(debootstrap git)

# usage MESSAGE: wrong use of the task.
usage() {
  echo "run: $1; './run help' lists the tasks" >&2
  exit 2
}

die() {
  echo "run: $1" >&2
  exit 1
}

as_root() {
  if ((EUID == 0)); then "$@"; else sudo -- "$@"; fi
}

# need PACKAGE...: installs those that are missing. Returns 1, with a message, when it cannot.
need() {
  local package missing=()
  for package; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if ! command -v apt-get >/dev/null; then
    echo "run: needs the Debian packages ${missing[*]}, and there is no apt-get" >&2
    return 1
  fi
  if ((EUID != 0)) && ! command -v sudo >/dev/null; then
    echo "run: needs root or sudo to install ${missing[*]}" >&2
    return 1
  fi
  echo "Installing ${missing[*]}"
  as_root apt-get -qq update &&
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 install \
      --no-install-recommends "${missing[@]}" </dev/null >/dev/null ||
    { echo "run: could not install ${missing[*]}" >&2 && return 1; }
}

# need_venv: .venv with tests/requirements.txt, made again when that file changes.
need_venv() {
  local stamp
  stamp=$(sha256sum tests/requirements.txt)
  [[ -x .venv/bin/python && $(cat .venv/stamp 2>/dev/null) == "$stamp" ]] && return
  echo 'Installing tests/requirements.txt into .venv'
  /usr/bin/python3 -m venv --clear .venv
  .venv/bin/pip install --quiet --requirement tests/requirements.txt
  echo "$stamp" >.venv/stamp
}

# cpp_files: our C++ files, one a line, less the tables that a script made.
cpp_files() {
  local folder folders=()
  for folder in src apps tests benchmarks; do
    [[ -d $folder ]] && folders+=("$folder")
  done
  find "${folders[@]}" -name generated -prune -o \
    -type f \( -name '*.h' -o -name '*.cc' -o -name '*.cu' \) -print | sort
}
