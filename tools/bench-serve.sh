# SPDX-License-Identifier: Apache-2.0
# bench-serve [MODEL] [USD_PER_HOUR]
# Serves MODEL (models/demo) on this machine and puts it under load three times, then prices a token
# at USD_PER_HOUR (0.10) for the machine. The workload is GLM-5.2's published one (20k in, 1k out, 60 %
# of the prompt shared, of 1M context) scaled to the model's context. Results: build/bench-serve/.
source "$(dirname "$0")/setup.sh"
(($# <= 2)) || usage 'bench-serve [MODEL] [USD_PER_HOUR]'
model=models/demo
if (($#)); then model=$(cd -- "$caller" && realpath -- "$1"); fi
[[ -d $model ]] || die "there is no model folder $model"
usd_per_hour=${2:-0.10}
ttft_ms=2000
tpot_ms=50

bash tools/build.sh release glint
glint=build/release/glint
out=build/bench-serve
rm -rf $out
mkdir -p $out

$glint serve "$model" --port 0 --served-model-name under-load >$out/serve.out 2>$out/serve.log &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
for _ in $(seq 300); do
  grep -q ' on http://' $out/serve.out && break
  kill -0 $server 2>/dev/null || { cat $out/serve.log >&2 && exit 1; }
  sleep 0.1
done
url=http://$(sed -n 's|.* on http://||p' $out/serve.out)
context=$($glint info "$model" --json | sed -n 's|.*"max_positions": \([0-9]*\).*|\1|p')
input=$((context * 20000 / 1048576))
output=$((context * 1000 / 1048576))
echo "context $context: prompts of $input tokens, answers of $output"

load() {
  echo
  echo "\$ glint bench serve $*"
  $glint bench serve --base-url "$url" --tokenizer "$model" --ignore-eos \
    --random-input-len $input --random-output-len $output \
    --metadata "workload=$input in / $output out;machine_note=$(nproc) processors" "$@"
}
load --find-rate-ttft $ttft_ms --search-start 0.5 --duration 20 \
  --result-file $out/ramp.jsonl --html $out/ramp.html
load --find-concurrency-tpot $tpot_ms --search-most 64 --duration 15 \
  --result-file $out/closed.jsonl --html $out/closed.html
load --max-concurrency 4 --duration 20 --prefix-hit 0.6 \
  --result-file $out/prefix.json --html $out/prefix.html

price() {
  echo
  echo "\$ glint cost $*"
  $glint cost --usd-per-gpu-hour "$usd_per_hour" "$@"
}
price --result $out/ramp.jsonl --latency p95_ttft_ms=$ttft_ms --html $out/cost-ramp.html
price --result $out/closed.jsonl --latency p95_tpot_ms=$tpot_ms --html $out/cost-closed.html
price --result $out/prefix.json --html $out/cost-prefix.html
echo
echo "Reports: $out/*.html"
