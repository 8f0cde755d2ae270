# SPDX-License-Identifier: Apache-2.0
# demo
source "$(dirname "$0")/setup.sh"
(($# == 0)) || usage 'demo takes no arguments'

echo 'Demo: builds the program, asks it about GLM-5.2, then serves a small model of that architecture'
echo 'and puts a question to it over HTTP.'
need "${demo_packages[@]}"
bash tools/build.sh release glint
echo
echo '$ glint info glm-5.2'
build/release/glint info glm-5.2

scratch=$(mktemp -d)
server=
stop_server() {
  if [[ $server ]]; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  rm -rf "$scratch"
}
trap stop_server EXIT

echo
echo '$ glint serve demo --port 0'
: >"$scratch/out"
build/release/glint serve demo --port 0 >"$scratch/out" 2>"$scratch/log" &
server=$!
for ((i = 0; i < 600; ++i)); do
  url=$(sed -n 's/.* on \(http:.*\)/\1/p' "$scratch/out")
  [[ -z $url ]] || break
  kill -0 "$server" 2>/dev/null || die "the server did not start: $(cat "$scratch/log")"
  sleep 0.1
done
[[ -n $url ]] || die 'the server did not start within a minute'
cat "$scratch/out"

# Reasoning, an empty line, the answer.
show='foreach (inputs | .choices[0].delta // {}) as $delta ({};
  {thinking: ($delta.reasoning_content != null or (.thinking and ($delta.content // "") == "")),
   text: ($delta.reasoning_content //
     ((if .thinking and ($delta.content // "") != "" then "\n\n" else "" end) + ($delta.content // "")))};
  .text)'

# ask QUESTION: streams the answer; then tokens, and how fast they came.
ask() {
  local body start
  body=$(jq -n --arg question "$1" '{messages: [{role: "user", content: $question}], stream: true,
    stream_options: {include_usage: true}, temperature: 0, max_tokens: 200}')
  echo
  echo "> $1"
  start=$EPOCHREALTIME
  curl -sSfN "$url/v1/chat/completions" -d "$body" | sed -un 's/^data: {/{/p' | tee "$scratch/chunks" |
    jq -nj --unbuffered "$show"
  echo
  awk -v start="$start" -v end="$EPOCHREALTIME" \
    -v tokens="$(jq -r 'select(.usage) | .usage.completion_tokens' "$scratch/chunks")" \
    'BEGIN { printf "(%d tokens, %.0f tok/s)\n", tokens, tokens / (end - start) }'
}

ask 'Hello! Who are you?'
ask 'Tell me a short story about a cat.'
