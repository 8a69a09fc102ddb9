#!/usr/bin/env bash
# Runs tests/web_*.rs in a headless browser. Each is named to cargo, so that the tests that only
# run natively are not compiled for wasm32 in vain.
#   scripts/test-web.sh [ARGUMENT OF cargo test...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/env.sh
source scripts/env.sh

shopt -s nullglob
tests=()
for file in tests/web_*.rs; do
  name=${file##*/}
  tests+=(--test "${name%.rs}")
done
if ((${#tests[@]} == 0)); then
  echo "There are no tests/web_*.rs yet: nothing to run."
  exit 0
fi

export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER=wasm-bindgen-test-runner
# Seconds for one file of tests; the runner's own 20 are too few for a busy machine.
export WASM_BINDGEN_TEST_TIMEOUT="${WASM_BINDGEN_TEST_TIMEOUT:-300}"
exec cargo test --target wasm32-unknown-unknown "${tests[@]}" "$@"
