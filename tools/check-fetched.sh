# SPDX-License-Identifier: Apache-2.0
# check-fetched [FOLDER]
source "$(dirname "$0")/setup.sh"
(($# <= 1)) || usage 'check-fetched takes one FOLDER or nothing'

# Each script gets the binary and the folder. It exits with 77, after a line that says why, when the
# folder has nothing for it.
folder=$root/fetched
(($# == 0)) || folder=$(cd "$caller" && realpath -m -- "$1")
if [[ ! -d $folder ]]; then
  echo "SKIPPED check-fetched: no folder $folder; put folders with official tokenizer.json and" \
    "chat_template.jinja files, or .gguf models, there"
  exit
fi
need "${test_packages[@]}"
need_venv
bash tools/build.sh release glint
failed=0
for script in tools/check_fetched/*.py; do
  name=$(basename "$script" .py) code=0
  printf '\n== %s\n' "$name"
  .venv/bin/python "$script" build/release/glint "$folder" || code=$?
  case $code in
    0) echo "== $name: ok" ;;
    77) echo "== $name: SKIPPED" ;;
    *) echo "== $name: FAILED ($code)" && failed=1 ;;
  esac
done
exit $failed
