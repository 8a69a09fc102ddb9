# shellcheck shell=bash
# Sourced at the top of the repository, behind env.sh: `remap_flags` keep the places of the builder's
# machine out of what is compiled. They would tell its user's name, and make a module's weight depend
# on how long it is.
cargo fetch --quiet
remap_flags=("--remap-path-prefix=$PWD=." "--remap-path-prefix=$(rustc --print sysroot)/lib/rustlib/src/rust=rust")
for remap_registry in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/; do
  remap_flags+=("--remap-path-prefix=$remap_registry=")
done
