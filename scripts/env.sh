# shellcheck shell=bash
# Sourced, never run: puts the tools that setup.sh installed first on PATH.
# It starts no program of its own, so that every step can afford to source it.

TABLOOP_CACHE="${TABLOOP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tabloop}"
export TABLOOP_CACHE

# The versions of what is not named in a lock file. The cache is keyed by them.
tabloop_trunk=0.21.14
tabloop_binaryen=132.0.0
tabloop_7z=1.2.0
tabloop_esbuild=0.28.2

# wasm-bindgen's command line tool must be of the very version of the crate.
tabloop_wasm_bindgen=
while IFS= read -r tabloop_line; do
  case $tabloop_line in
    'name = "wasm-bindgen"')
      IFS= read -r tabloop_line
      tabloop_wasm_bindgen=${tabloop_line#version = \"}
      tabloop_wasm_bindgen=${tabloop_wasm_bindgen%\"}
      break
      ;;
  esac
done <"$(dirname "${BASH_SOURCE[0]}")/../Cargo.lock"

tabloop_tools="$TABLOOP_CACHE/tools"
# What packs the module (scripts/pack.mjs).
export TABLOOP_7Z="$tabloop_tools/7z-wasm-$tabloop_7z"
# What minifies the glue and the styles (scripts/shrink.mjs).
export TABLOOP_ESBUILD="$tabloop_tools/esbuild-$tabloop_esbuild"
PATH="$tabloop_tools/trunk-$tabloop_trunk/bin:$tabloop_tools/wasm-bindgen-$tabloop_wasm_bindgen/bin:$tabloop_tools/binaryen-$tabloop_binaryen/bin:$PATH"

# The Debian way is taken when it is asked for, or when setup.sh had to fall back to it.
# Cargo looks for subcommands in its home's bin first unless PATH names that folder, and
# rustup's shims there would win over Debian's tools: so PATH names it, at its end.
tabloop_debian="$TABLOOP_CACHE/toolchains/debian"
case ${TABLOOP_TOOLCHAIN:-auto} in
  auto) [[ -e $TABLOOP_CACHE/fell-back-to-debian ]] && tabloop_use_debian=1 || tabloop_use_debian= ;;
  debian) tabloop_use_debian=1 ;;
  *) tabloop_use_debian= ;;
esac
if [[ -n $tabloop_use_debian ]]; then
  PATH="$tabloop_debian/bin:$PATH:${CARGO_HOME:-$HOME/.cargo}/bin"
  export RUSTC="$tabloop_debian/bin/rustc" RUSTDOC="$tabloop_debian/bin/rustdoc"
  # Clippy's driver reads this, where the compiler's wrapper passes a flag.
  export SYSROOT="$tabloop_debian"
fi
export PATH

# The browser that the tests drive.
if [[ -z ${CHROMIUM:-} ]]; then
  for tabloop_browser in chromium chromium-browser google-chrome google-chrome-stable \
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'; do
    if CHROMIUM=$(command -v "$tabloop_browser"); then break; fi
  done
fi
CHROMEDRIVER="${CHROMEDRIVER:-$(command -v chromedriver || true)}"
export CHROMIUM CHROMEDRIVER

# Trunk asks for newer versions of itself unless told not to, and refuses NO_COLOR=1.
export TRUNK_SKIP_VERSION_CHECK=true
if [[ -n ${NO_COLOR:-} ]]; then export NO_COLOR=true; fi
