#!/usr/bin/env bash
# Builds the shell of the tool `bash`, two files named by their content, into the target folder's
# shell-dist, unless they are of this state already. Prints what the page has to know of them: the worker's script and
# its hash. It is a build of its own, with a cheap profile: that of the page would take ten times as
# long for a shell that nobody waits for.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/env.sh
source scripts/env.sh
# shellcheck source=scripts/remap.sh
source scripts/remap.sh

target="${CARGO_TARGET_DIR:-target}"
CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f' && echo "${remap_flags[*]}")
export CARGO_ENCODED_RUSTFLAGS
cargo build --quiet --package tabloop-shell --bin shell --features bashkit --profile shell \
  --target wasm32-unknown-unknown >&2
node scripts/pack-shell.mjs "$target/wasm32-unknown-unknown/shell/shell.wasm" "$target/shell-dist"
