# SPDX-License-Identifier: Apache-2.0
# demo
source "$(dirname "$0")/setup.sh"
(($# == 0)) || usage 'demo takes no arguments'

echo 'Demo: builds the program, then asks it about GLM-5.2.'
bash tools/build.sh release glint
echo
echo '$ build/release/glint info glm-5.2'
build/release/glint info glm-5.2
