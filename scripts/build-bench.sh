#!/usr/bin/env bash
# Builds what the bench of the decoder runs: the reader of answers alone, compiled and optimised
# as the page is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/env.sh
source scripts/env.sh
# shellcheck source=scripts/release-env.sh
source scripts/release-env.sh

out=tests/bench/output/decoder
target=${CARGO_TARGET_DIR:-target}
# The optimiser's options stand in the page, where trunk reads them.
options=$(sed -n 's/.*data-wasm-opt-params="\([^"]*\)".*/\1/p' index.html)

cargo build --quiet --release --target wasm32-unknown-unknown --example decoder "$@"
mkdir -p "$out"
wasm-bindgen --target web --no-typescript --out-dir "$out" \
  "$target/wasm32-unknown-unknown/release/examples/decoder.wasm"
# shellcheck disable=SC2086
wasm-opt $options "$out/decoder_bg.wasm" -o "$out/decoder_bg.wasm"
