#!/usr/bin/env bash
# Builds the server and the model of the live tests: a real llama-server, and a tiny chat model written from nothing.
# No binary and no model is downloaded: the sources of llama.cpp come in the sdist of llama-cpp-python on PyPI.
#
#   build.sh FOLDER     leaves FOLDER/llama-server-<version> and FOLDER/model-<hash>.gguf, and prints both paths, one a line
#
# The first call compiles for about five minutes on two cores; a later call finds both files and ends at once.
set -euo pipefail

version=0.3.36
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "${1:?usage: build.sh FOLDER}"
cache=$(cd "$1" && pwd)
server=$cache/llama-server-$version
# Named by what it is made from, so that an edited generator or template never meets an old model.
model=$cache/model-$(cat "$here/model.py" "$here/chat.jinja" | sha256sum | cut -c1-12).gguf

say() { echo "[llama] $*" >&2; }

need() {
  command -v "$1" >/dev/null || { say "$1 is missing. On Debian: apt-get install -y $2"; exit 1; }
}

# cmake, ninja and the GGUF writer come from PyPI, into a folder of their own: the machine's Python stays as it is.
python_tools() {
  [ -e "$cache/venv/ready" ] && return
  need python3 "python3 python3-venv"
  say "installing cmake, ninja and gguf into $cache/venv"
  python3 -m venv --clear "$cache/venv" || { say "python3 has no venv. On Debian: apt-get install -y python3-venv"; exit 1; }
  "$cache/venv/bin/pip" install --quiet cmake ninja 'gguf==0.19.0' numpy scikit-build-core
  touch "$cache/venv/ready"
}

fetch_sources() {
  [ -e "$cache/src-$version/ready" ] && return
  say "downloading the sources (77 MB)"
  rm -rf "$cache/src-$version" "$cache/sdist"
  "$cache/venv/bin/pip" download --quiet --no-deps --no-binary :all: --no-build-isolation \
    --dest "$cache/sdist" "llama-cpp-python==$version"
  mkdir "$cache/src-$version"
  tar -xzf "$cache"/sdist/llama_cpp_python-*.tar.gz -C "$cache/src-$version" --strip-components=1
  rm -rf "$cache/sdist"
  touch "$cache/src-$version/ready"
}

# The model is so small that optimised code gains nothing: what counts is the time to compile. GGML_NATIVE is off so that
# a cache may move to another machine; the web UI and TLS are off because they would ask for downloads and libraries.
compile_server() {
  need g++ g++
  local build=$cache/build-$version
  say "compiling llama-server $version: about five minutes the first time, log in $cache/build.log"
  PATH=$cache/venv/bin:$PATH
  {
    cmake -S "$cache/src-$version/vendor/llama.cpp" -B "$build" -G Ninja \
      -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="-O1 -DNDEBUG" -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" \
      -DBUILD_SHARED_LIBS=OFF -DGGML_NATIVE=OFF -DGGML_OPENMP=OFF -DGGML_LLAMAFILE=OFF -DGGML_CCACHE=OFF \
      -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_APP=OFF -DLLAMA_OPENSSL=OFF \
      -DLLAMA_BUILD_UI=OFF -DLLAMA_USE_PREBUILT_UI=OFF
    nice -n 19 ninja -C "$build" -j "$(nproc)" llama-server
  } >"$cache/build.log" 2>&1 || { tail -n 30 "$cache/build.log" >&2; say "the build failed; the whole log is $cache/build.log"; exit 1; }
  # Moved in one step: a build that was interrupted never leaves half a server under the final name.
  cp "$build/bin/llama-server" "$server.part"
  mv "$server.part" "$server"
  rm -rf "$build" "$cache/src-$version"
}

write_model() {
  say "writing the model"
  "$cache/venv/bin/python" "$here/model.py" "$here/chat.jinja" "$model.part"
  mv "$model.part" "$model"
}

# Two calls at once (a test run next to another) must not write the same files.
exec 9>"$cache/lock"
flock 9
[ -x "$server" ] || { python_tools; fetch_sources; compile_server; }
[ -e "$model" ] || { python_tools; write_model; }
echo "$server"
echo "$model"
