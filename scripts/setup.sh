#!/usr/bin/env bash
# Installs what the project needs and is not there yet.
#
#   scripts/setup.sh build   what a build needs: Rust for wasm32, Node, trunk, wasm-bindgen, wasm-opt, 7-Zip
#   scripts/setup.sh test    that, and what the tests need: a browser, its driver, Node packages
#   scripts/setup.sh real    that, and the servers by others that make test-real drives the page against
#
# It may be interrupted anywhere and run again: a tool is installed into a temporary folder and
# moved into place when whole. Tools go into a cache of the user's, keyed by version, so that a
# second clone installs nothing. Nothing but Debian packages needs root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

part=${1:-test}
case $part in
  build | test | real) ;;
  *) echo "usage: scripts/setup.sh [build|test|real]" >&2 && exit 2 ;;
esac

ordinary_path=$PATH
# shellcheck source=scripts/env.sh
source scripts/env.sh
cache=$TABLOOP_CACHE
mkdir -p "$cache/tools" "$cache/toolchains" "$cache/logs"

say() { printf '    %s\n' "$*"; }

give_up() {
  printf '\nThe set-up stopped: %s\n' "$1" >&2
  exit 1
}

# Two set-ups at once would install the same things twice. The lock is taken by the first step
# that has something to do, and is held until this script and all that it started have ended.
locked=
take_lock() {
  [[ -z $locked ]] || return 0
  if command -v flock >/dev/null; then
    exec 9>"$cache/lock"
    flock --nonblock 9 || { say "waiting for another set-up to finish" && flock 9; }
  fi
  locked=1
  # What an interrupted set-up left.
  rm -rf "$cache/tmp"
  mkdir -p "$cache/tmp"
}

# step TITLE HAVE GET: runs GET unless HAVE says that it is there, and looks again after it.
step() {
  local title=$1 have=$2 get=$3 started=$SECONDS
  if "$have"; then
    say "$title: already there"
    return
  fi
  take_lock
  if "$have"; then
    say "$title: there now, from another set-up"
  else
    local log="$cache/logs/$get.log"
    say "$title: installing (what it prints goes to $log)"
    # Not in a condition, where bash would go on after a failed command in GET.
    set +e
    (
      set -e
      "$get"
    ) >"$log" 2>&1
    local status=$?
    set -e
    if ((status)) || ! "$have"; then
      tail -n 30 "$log" >&2
      give_up "could not install $title. The lines above are the last of $log"
    fi
    say "$title: installed in $((SECONDS - started)) s"
  fi
}

# --- Debian packages ---------------------------------------------------------------------------

as_root() {
  if ((EUID == 0)); then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "This needs root, and there is no sudo here. Run as root: $*"
    return 1
  fi
}

apt_install() {
  local package missing=()
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if ! command -v apt-get >/dev/null; then
    echo "There is no apt-get on this system. Please install by its own means: ${missing[*]}"
    return 1
  fi
  # An interrupted installation leaves packages that must be configured before any other.
  as_root dpkg --configure -a
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    -o DPkg::Lock::Timeout=600 "${missing[@]}"
}

# --- Rust with the wasm32 target ---------------------------------------------------------------

wanted_rust=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)

at_least() { [[ $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]; }

# The ordinary way: whatever Rust is on PATH (as a rule rustup's), with the target added to it, and
# the standard library's source, which the release build compiles anew.
have_ordinary_rust() (
  # shellcheck disable=SC2030
  PATH=$ordinary_path
  unset RUSTC RUSTDOC SYSROOT
  sysroot=$(rustc --print sysroot 2>/dev/null) && version=$(rustc --version 2>/dev/null) || return 1
  version=${version#rustc }
  at_least "${version%% *}" "$wanted_rust" &&
    [[ -d $sysroot/lib/rustlib/wasm32-unknown-unknown/lib ]] && [[ -x $sysroot/bin/cargo ]] &&
    [[ -e $sysroot/lib/rustlib/src/rust/library/Cargo.lock ]] &&
    { [[ $part == build ]] || [[ -x $sysroot/bin/cargo-clippy && -x $sysroot/bin/cargo-fmt ]]; }
)

get_ordinary_rust() (
  # shellcheck disable=SC2030,SC2031
  PATH=$ordinary_path
  command -v rustup || return 1
  at_least "$(rustc --version | cut -d ' ' -f 2)" "$wanted_rust" || rustup update stable || return 1
  rustup target add wasm32-unknown-unknown || return 1
  rustup component add rust-src || return 1
  [[ $part == build ]] || rustup component add clippy rustfmt || return 1
  have_ordinary_rust
)

# The Debian way, for machines that cannot reach rustup's downloads: Debian's compiler, and the
# standard library for wasm32 built once from Debian's copy of its source.
have_debian_rust() {
  [[ -x /usr/bin/rustc && -x $tabloop_debian/bin/rustc ]] &&
    [[ $(/usr/bin/rustc --version) == "$(cat "$tabloop_debian/version")" ]] &&
    [[ -e $tabloop_debian/lib/rustlib/src/rust/library/Cargo.lock ]] &&
    { [[ $part == build ]] || [[ -x /usr/bin/cargo-clippy && -x /usr/bin/cargo-fmt ]]; }
}

get_debian_rust() {
  apt_install rustc-web cargo-web rust-web-src rust-web-clippy rustfmt-web
  local version llvm name dest build program
  version=$(/usr/bin/rustc --version)
  llvm=$(/usr/bin/rustc -vV | awk -F '[ .]' '/^LLVM version/ { print $3 }')
  apt_install "lld-$llvm"

  name=debian-$(cut -d ' ' -f 2 <<<"$version")
  dest="$cache/toolchains/$name"
  if [[ $(cat "$dest/version" 2>/dev/null) != "$version" || ! -e $dest/lib/rustlib/src ]]; then
    build="$cache/tmp/std"
    mkdir -p "$build/src"
    printf '[package]\nname = "nothing"\nedition = "2021"\n[profile.release]\npanic = "abort"\n' >"$build/Cargo.toml"
    printf '#![no_std]\n' >"$build/src/lib.rs"
    # The bitcode is what a release build with fat LTO reads; `test` is for wasm-bindgen-test.
    (cd "$build" && env -u RUSTDOC -u SYSROOT RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 \
      RUSTFLAGS=-Cembed-bitcode=yes CARGO_TARGET_DIR="$build/target" /usr/bin/cargo build --release \
      -Zbuild-std=std,panic_abort,proc_macro,test --target wasm32-unknown-unknown)

    # A sysroot of the user's own needs no root and leaves the system's alone.
    local new="$cache/tmp/$name"
    mkdir -p "$new/bin" "$new/lib/rustlib/wasm32-unknown-unknown/lib"
    rm -f "$build"/target/wasm32-unknown-unknown/release/deps/libnothing-*
    mv "$build"/target/wasm32-unknown-unknown/release/deps/*.rlib "$new/lib/rustlib/wasm32-unknown-unknown/lib/"
    local host
    host=$(/usr/bin/rustc -vV | sed -n 's/^host: //p')
    ln -s "/usr/lib/rustlib/$host" "$new/lib/rustlib/$host"
    ln -s /usr/lib/rustlib/src "$new/lib/rustlib/src"
    for program in rustc rustdoc; do
      printf '#!/bin/sh\nexec /usr/bin/%s --sysroot "%s" "$@"\n' "$program" "$dest" >"$new/bin/$program"
      chmod +x "$new/bin/$program"
    done
    for program in cargo cargo-clippy clippy-driver cargo-fmt rustfmt; do
      ln -s "/usr/bin/$program" "$new/bin/$program"
    done
    ln -s "/usr/bin/lld-$llvm" "$new/bin/rust-lld"
    printf '%s\n' "$version" >"$new/version"
    rm -rf "$dest" "$build"
    mv "$new" "$dest"
  fi
  ln -s "$name" "$cache/tmp/link"
  mv -T "$cache/tmp/link" "$tabloop_debian"
}

have_rust() {
  case ${TABLOOP_TOOLCHAIN:-auto} in
    rustup) have_ordinary_rust ;;
    debian) have_debian_rust ;;
    auto)
      if have_ordinary_rust; then
        rm -f "$cache/fell-back-to-debian"
      else
        [[ -e $cache/fell-back-to-debian ]] && have_debian_rust
      fi
      ;;
    *) give_up "TABLOOP_TOOLCHAIN is '$TABLOOP_TOOLCHAIN', which is none of auto, rustup, debian" ;;
  esac
}

get_rust() {
  local choice=${TABLOOP_TOOLCHAIN:-auto}
  if [[ $choice != debian ]]; then
    if get_ordinary_rust; then return; fi
    if [[ $choice == rustup ]]; then return 1; fi
    if ! command -v apt-get; then
      echo "Rust $wanted_rust or newer with the wasm32-unknown-unknown target is needed."
      echo "Please install rustup (see rustup.rs), then run this again."
      return 1
    fi
    echo "The ordinary way did not work: taking Debian's compiler."
  fi
  get_debian_rust
  if [[ $choice == auto ]]; then touch "$cache/fell-back-to-debian"; fi
}

# --- Tools -------------------------------------------------------------------------------------

have_cc() { command -v cc >/dev/null; }
get_cc() { apt_install gcc libc6-dev; }

have_node() { [[ $(node -p 'process.versions.node.split(".")[0] >= 18' 2>/dev/null) == true ]] && command -v npm >/dev/null; }
get_node() {
  apt_install nodejs npm
  have_node || { echo "Node 18 or newer with npm is needed, and this system's packages have only an older one." && return 1; }
}

# A tool counts when it is in the cache, or on PATH in the very version that is wanted.
have_tool() {
  local folder=$1 program=$2 version=$3
  [[ -x $tabloop_tools/$folder/bin/$program ]] && return
  command -v "$program" >/dev/null && [[ $("$program" --version 2>/dev/null) == "$version"* ]]
}

# cargo_install FOLDER CRATE VERSION: prebuilt where cargo-binstall is there, else compiled. What
# is compiled stays in the cache until the end, so that an interrupted install goes on where it was.
cargo_install() {
  local folder=$1 crate=$2 version=$3 new="$cache/tmp/$1"
  if command -v cargo-binstall >/dev/null; then
    cargo binstall --no-confirm --disable-strategies compile --root "$new" --version "$version" "$crate" || rm -rf "$new"
  fi
  if [[ ! -d $new/bin ]]; then
    export CARGO_TARGET_DIR="$cache/tmp-build/$folder"
    # The crate's own lock file is best; it may name a version that was withdrawn since.
    (cd "$cache" && { cargo install "$crate" --version "$version" --root "$new" --locked ||
      cargo install "$crate" --version "$version" --root "$new"; })
  fi
  rm -rf "${tabloop_tools:?}/$folder"
  mv "$new" "$tabloop_tools/$folder"
  rm -rf "$cache/tmp-build/$folder"
}

have_trunk() { have_tool "trunk-$tabloop_trunk" trunk "trunk $tabloop_trunk"; }
get_trunk() { cargo_install "trunk-$tabloop_trunk" trunk "$tabloop_trunk"; }

have_wasm_bindgen() {
  have_tool "wasm-bindgen-$tabloop_wasm_bindgen" wasm-bindgen "wasm-bindgen $tabloop_wasm_bindgen" &&
    have_tool "wasm-bindgen-$tabloop_wasm_bindgen" wasm-bindgen-test-runner "wasm-bindgen-test-runner $tabloop_wasm_bindgen"
}
get_wasm_bindgen() { cargo_install "wasm-bindgen-$tabloop_wasm_bindgen" wasm-bindgen-cli "$tabloop_wasm_bindgen"; }

have_wasm_opt() { have_tool "binaryen-$tabloop_binaryen" wasm-opt "wasm-opt version ${tabloop_binaryen%%.*}"; }
get_wasm_opt() {
  local new="$cache/tmp/binaryen"
  mkdir -p "$new/bin"
  npm install --prefix "$new" --ignore-scripts --no-audit --no-fund "binaryen@$tabloop_binaryen"
  ln -s ../node_modules/binaryen/bin/wasm-opt "$new/bin/wasm-opt"
  "$new/bin/wasm-opt" --version
  rm -rf "$tabloop_tools/binaryen-$tabloop_binaryen"
  mv "$new" "$tabloop_tools/binaryen-$tabloop_binaryen"
}

# get_node_tool FOLDER PACKAGE VERSION USE: installs a package of tools and uses it once.
get_node_tool() {
  local folder=$1 package=$2 version=$3 use=$4 new="$cache/tmp/$2"
  mkdir -p "$new"
  npm install --prefix "$new" --ignore-scripts --no-audit --no-fund "$package@$version"
  node -e "$use" "$new/node_modules/$package"
  rm -rf "$folder"
  mv "$new" "$folder"
}

have_7z() { [[ -e $TABLOOP_7Z/node_modules/7z-wasm/package.json ]]; }
get_7z() { get_node_tool "$TABLOOP_7Z" 7z-wasm "$tabloop_7z" 'require(process.argv[1])'; }

have_esbuild() { [[ -e $TABLOOP_ESBUILD/node_modules/esbuild/package.json ]]; }
get_esbuild() {
  get_node_tool "$TABLOOP_ESBUILD" esbuild "$tabloop_esbuild" \
    'require(process.argv[1]).transformSync("let a", { minify: true })'
}

# --- For the tests -----------------------------------------------------------------------------

have_browser() {
  # shellcheck source=scripts/env.sh
  [[ -n $CHROMIUM && -n $CHROMEDRIVER ]] || source scripts/env.sh
  [[ -x $CHROMIUM && -x $CHROMEDRIVER ]]
}
get_browser() {
  if ! command -v apt-get; then
    echo "The tests need Chromium or Chrome, and a chromedriver of the same version, on PATH."
    echo "Please install both, then run this again."
    return 1
  fi
  apt_install chromium chromium-driver fonts-liberation
}

# `npm ci` runs when a lock file is not the one that was installed last.
# stale_packages LOCK...: the folders where that is so.
stale_packages() {
  local lock
  for lock in "$@"; do
    [[ ! -e $lock ]] || cmp -s "$lock" "${lock%/*}/node_modules/.installed-lock" || printf '%s\n' "${lock%/*}"
  done
}
install_packages() {
  local folder
  for folder in $(stale_packages "$@"); do
    npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund
    mkdir -p "$folder/node_modules"
    cp "$folder/package-lock.json" "$folder/node_modules/.installed-lock"
  done
}

have_node_packages() { [[ -z $(stale_packages tests/*/package-lock.json) ]]; }
get_node_packages() { install_packages tests/*/package-lock.json; }

have_editor_packages() { [[ -z $(stale_packages src/editor/package-lock.json) ]]; }
get_editor_packages() { install_packages src/editor/package-lock.json; }

have_pdf_packages() { [[ -z $(stale_packages src/pdf/package-lock.json) ]]; }
get_pdf_packages() { install_packages src/pdf/package-lock.json; }

have_highlight_packages() { [[ -z $(stale_packages src/highlight/package-lock.json) ]]; }
get_highlight_packages() { install_packages src/highlight/package-lock.json; }

have_math_packages() { [[ -z $(stale_packages src/math/package-lock.json) ]]; }
get_math_packages() { install_packages src/math/package-lock.json; }

have_real_servers() { [[ -z $(stale_packages tests/e2e/real/package-lock.json) ]]; }
get_real_servers() { install_packages tests/e2e/real/package-lock.json; }

# -----------------------------------------------------------------------------------------------

[[ -n $tabloop_wasm_bindgen ]] || give_up "Cargo.lock names no version of wasm-bindgen"

printf '==> Set-up for %s\n' "$part"
step "Rust for wasm32" have_rust get_rust
# The step may have chosen the Debian way, which changes PATH.
# shellcheck source=scripts/env.sh
source scripts/env.sh
step "a C compiler to link with" have_cc get_cc
step "Node 18 or newer" have_node get_node
step "trunk $tabloop_trunk" have_trunk get_trunk
step "wasm-bindgen $tabloop_wasm_bindgen" have_wasm_bindgen get_wasm_bindgen
step "wasm-opt $tabloop_binaryen" have_wasm_opt get_wasm_opt
step "7-Zip $tabloop_7z" have_7z get_7z
step "esbuild $tabloop_esbuild" have_esbuild get_esbuild
step "packages of the editor" have_editor_packages get_editor_packages
step "packages of the PDF viewer" have_pdf_packages get_pdf_packages
step "packages of what colours code" have_highlight_packages get_highlight_packages
step "packages of what sets formulas" have_math_packages get_math_packages
if [[ $part != build ]]; then
  step "a browser and its driver" have_browser get_browser
  step "Node packages of the tests" have_node_packages get_node_packages
fi
if [[ $part == real ]]; then step "a gateway and a mock endpoint by others" have_real_servers get_real_servers; fi
printf '==> Set-up for %s: done in %s s\n' "$part" "$SECONDS"
