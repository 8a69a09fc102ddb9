#!/usr/bin/env bash
# Runs one step with the project's tools on PATH, says what it is, and how long it took.
#   scripts/step.sh TITLE COMMAND [ARGUMENT...]
set -euo pipefail
# shellcheck source=scripts/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

title=$1
shift
printf '==> %s\n' "$title"
status=0
"$@" || status=$?
if ((status)); then
  printf '==> %s: FAILED after %s s\n' "$title" "$SECONDS" >&2
else
  printf '==> %s: done in %s s\n' "$title" "$SECONDS"
fi
exit "$status"
