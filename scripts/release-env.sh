# shellcheck shell=bash
# Sourced at the top of the repository, behind env.sh: how the page's code is compiled. The bench
# of the decoder compiles it the same way.

# The standard library is built with the page, for size, and a panic is a trap without a word: that
# leaves out all that panics would print, a tenth of the page. A stable compiler takes these options
# only under the first variable.
export RUSTC_BOOTSTRAP=1
export CARGO_UNSTABLE_BUILD_STD=std,panic_abort CARGO_UNSTABLE_BUILD_STD_FEATURES=optimize_for_size

# shellcheck source=scripts/remap.sh
source scripts/remap.sh
release_flags=(-Zunstable-options -Cpanic=immediate-abort "${remap_flags[@]}")
CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f' && echo "${release_flags[*]}")
export CARGO_ENCODED_RUSTFLAGS
