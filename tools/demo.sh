# SPDX-License-Identifier: Apache-2.0
# demo
source "$(dirname "$0")/setup.sh"
(($# == 0)) || usage 'demo takes no arguments'

echo 'Demo: builds the program, asks it about GLM-5.2, then runs a tiny model of that architecture.'
bash tools/build.sh release glint
echo
echo '$ build/release/glint info glm-5.2'
build/release/glint info glm-5.2

echo
echo 'A checkpoint of random weights, GLM-5.2 in small (tests/golden/glm_moe_dsa): the 16 most likely'
echo 'tokens after a prompt of 48. They mean nothing; transformers finds the same (greedy.json).'
model=tests/golden/glm_moe_dsa
ids=$(tr -d '[]' <$model/ids.json)
echo "$ build/release/glint logits $model --ids '${ids:0:20}...' --greedy 16 --dtype f32"
build/release/glint logits $model --ids "$ids" --greedy 16 --dtype f32
