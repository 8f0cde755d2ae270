# SPDX-License-Identifier: Apache-2.0
# lint [--since REV] [--except FOLDER] [FILE...]
source "$(dirname "$0")/setup.sh"

since= except= files=()
while (($#)); do
  case $1 in
    --since)
      since=$(git rev-parse --verify --quiet "${2-}^{tree}") ||
        usage "lint: --since needs a commit, not '${2-}'"
      shift
      ;;
    --except)
      [[ -d ${2-} ]] || usage "lint: --except needs a folder, not '${2-}'"
      except=${2%/}/
      shift
      ;;
    -*) usage "lint: no option $1" ;;
    *)
      file=$(cd "$caller" && realpath --relative-to="$root" -- "$1")
      [[ -f $file ]] || usage "lint: no file $1"
      files+=("$file")
      ;;
  esac
  shift
done
need "${build_packages[@]}" "${test_packages[@]}" "${clang_packages[@]}"
if [[ $since ]]; then
  mapfile -t -O ${#files[@]} files < <(
    git diff --name-only --diff-filter=d "$since" -- '*.h' '*.cc'
    git ls-files --others --exclude-standard -- '*.h' '*.cc'
  )
elif ((${#files[@]} == 0)); then
  mapfile -t files < <(cpp_files)
fi

# sources FILE...: the .cc files to run. A header is seen through the .cc and the test of its name,
# or else through the first file that includes it.
sources() {
  local file stem
  for file; do
    stem=${file%.*}
    if [[ $file == *.cc ]]; then
      echo "$file"
    elif [[ $file == *.h && -f $stem.cc || -f ${stem}_test.cc ]]; then
      find "$stem.cc" "${stem}_test.cc" 2>/dev/null || true
    elif [[ $file == *.h ]]; then
      cpp_files | grep '\.cc$' | xargs grep -lF "\"${file#src/}\"" | head -n 1 || true
    fi
  done | sort -u
}

mapfile -t list < <(sources "${files[@]}" | if [[ $except ]]; then grep -v "^$except"; else cat; fi)
((${#list[@]})) || { echo 'Nothing to lint' && exit; }
configured=$(cmake --preset release 2>&1) || die "$configured"
python3 tools/lint.py "${list[@]}"
