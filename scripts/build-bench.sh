#!/usr/bin/env bash
# Builds what the benches run that measure a part alone: the reader of answers and the workspace,
# compiled and optimised as the page is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/env.sh
source scripts/env.sh
# shellcheck source=scripts/release-env.sh
source scripts/release-env.sh

target=${CARGO_TARGET_DIR:-target}
# The optimiser's options stand in the page, where trunk reads them.
options=$(sed -n 's/.*data-wasm-opt-params="\([^"]*\)".*/\1/p' index.html)

cargo build --quiet --release --target wasm32-unknown-unknown --example decoder --example files "$@"
for name in decoder files; do
  out=tests/bench/output/$name
  mkdir -p "$out"
  wasm-bindgen --target web --no-typescript --out-dir "$out" \
    "$target/wasm32-unknown-unknown/release/examples/$name.wasm"
  # shellcheck disable=SC2086
  wasm-opt $options "$out/${name}_bg.wasm" -o "$out/${name}_bg.wasm"
done
