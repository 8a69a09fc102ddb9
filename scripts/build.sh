#!/usr/bin/env bash
# Builds dist/, unless nothing that goes into it has changed since the last time: trunk would
# optimise all over again even then.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/env.sh
source scripts/env.sh

# One hash of all files that git knows or would take, but for the tests and the texts at the top,
# and of the commit, which the page names. Nothing where git or its repository is missing.
fingerprint() {
  local files=(git ls-files --cached --others --exclude-standard -z -- . ':!tests' ':(exclude,glob)*.md')
  git rev-parse --is-inside-work-tree >/dev/null 2>&1 || return 0
  {
    git rev-parse --quiet --verify HEAD
    git status --porcelain
    rustc --version
    "${files[@]}"
    "${files[@]}" | xargs -0 cat
  } 2>/dev/null | git hash-object --stdin
}

stamp="${CARGO_TARGET_DIR:-target}/dist.fingerprint"
before=$(fingerprint)
if [[ -n $before && -e dist/index.html && $(cat "$stamp" 2>/dev/null) == "$before" ]]; then
  echo "    nothing has changed since dist/ was built"
  exit 0
fi
rm -f "$stamp"

# The standard library is built with the page, for size, and a panic is a trap without a word: that
# leaves out all that panics would print, a tenth of the page. A stable compiler takes these options
# only under the first variable.
export RUSTC_BOOTSTRAP=1
export CARGO_UNSTABLE_BUILD_STD=std,panic_abort CARGO_UNSTABLE_BUILD_STD_FEATURES=optimize_for_size
flags=(-Zunstable-options -Cpanic=immediate-abort)

# The places of the builder's machine stay out of the page: they would tell its user's name, and
# make the page's weight depend on how long it is.
cargo fetch --quiet
flags+=("--remap-path-prefix=$PWD=." "--remap-path-prefix=$(rustc --print sysroot)/lib/rustlib/src/rust=rust")
for registry in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/; do
  flags+=("--remap-path-prefix=$registry=")
done
CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f' && echo "${flags[*]}")
export CARGO_ENCODED_RUSTFLAGS
RUST_LIB_BACKTRACE=0 trunk --quiet build
# Only if nothing was edited meanwhile is dist/ known to be of this state.
if [[ -n $before && $(fingerprint) == "$before" ]]; then echo "$before" >"$stamp"; fi
