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

# The page carries the name and the hash of the shell's script, which it loads when a shell is
# first used.
TABLOOP_SHELL=$(scripts/build-shell.sh)
TABLOOP_SHELL_DIST="$PWD/${CARGO_TARGET_DIR:-target}/shell-dist"
export TABLOOP_SHELL TABLOOP_SHELL_DIST

# shellcheck source=scripts/release-env.sh
source scripts/release-env.sh
RUST_LIB_BACKTRACE=0 trunk --quiet build
# Only if nothing was edited meanwhile is dist/ known to be of this state.
if [[ -n $before && $(fingerprint) == "$before" ]]; then echo "$before" >"$stamp"; fi
