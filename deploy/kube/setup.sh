#!/usr/bin/env bash
# Builds what a real Kubernetes on this machine is made of, from Go modules, and keeps it in .cache: each part is built once per
# version. Asks no registry of images.
#
#   deploy/kube/setup.sh [plane] [helm] [node] [simulated] [images]
#
#   plane   etcd, API server, controller manager and kubectl, as one program (.cache/kube/kube-plane)
#   node    the same with scheduler, kubelet and proxy (.cache/kube/kube-node), CoreDNS and what holds a pod's network, and from
#           Debian's packages containerd, runc and network plug-ins
#   simulated  scheduler and kwok, which says of nodes and pods what kubelets would say (.cache/kube/kwok)
#   helm    helm (.cache/bin/helm)
#   images  what puts root file systems of images together (mmdebstrap)
#
# Without names: plane and helm.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=$root/.cache
kubernetes=1.34.4
helm=v4.3.1
kwok=v0.8.0
coredns=$(sed -n 's|^require github.com/coredns/coredns v||p' "$here/dns/go.mod")
export CGO_ENABLED=0
# A build that somebody waits for may use every processor; `KUBE_BUILD_JOBS=1` leaves the others alone.
jobs=${KUBE_BUILD_JOBS:-$(nproc)}

say() { printf 'kube: %s\n' "$*" >&2; }
die() { printf 'kube: error: %s\n' "$*" >&2; exit 1; }

command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
command -v go >/dev/null || die "Go is needed to build Kubernetes; install it (1.24 or newer)"

# What a program's version file says where it was made from a folder beside this file as it is now. Usage: version_of FOLDER VERSION
version_of() {
  printf '%s-' "$2"
  find "$here/$1" -type f \( -name '*.go' -o -name go.mod \) -print0 | sort -z | xargs -0 cat | sha256sum | cut -c 1-12
}

# Usage: is_built PROGRAM FOLDER VERSION
is_built() { [ -x "$cache/kube/$1" ] && [ "$(cat "$cache/kube/$1.version" 2>/dev/null)" = "$(version_of "$2" "$3")" ]; }

# Builds one program, where it is not there in this version. Usage: build PROGRAM FOLDER VERSION WORDS FLAG...
build() {
  local program=$cache/kube/$1
  if is_built "$1" "$2" "$3"; then return; fi
  say "building $4 (.cache/kube/$1)"
  mkdir -p "$cache/kube"
  (cd "$here/$2" && go build -p "$jobs" -trimpath "${@:5}" -o "$program.unfinished" .)
  mv "$program.unfinished" "$program"
  version_of "$2" "$3" >"$program.version"
}

# Usage: build_kubernetes PROGRAM TAGS WORDS
build_kubernetes() {
  local minor=${kubernetes#1.} flags="-s -w"
  for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
    flags+=" -X $package.gitVersion=v$kubernetes -X $package.gitMajor=1 -X $package.gitMinor=${minor%%.*}"
  done
  build "$1" control-plane "$kubernetes" "Kubernetes $kubernetes; $3" -tags "$2" -ldflags "$flags"
}

# Installs packages without letting them start a server of their own.
install() {
  local missing=() package policy=/usr/sbin/policy-rc.d ours=
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null || die "this needs Debian's packages ${missing[*]}: install them"
  [ "$(id -u)" -eq 0 ] || die "this needs Debian's packages ${missing[*]}: install them, or run this as root"
  say "installing through apt-get: ${missing[*]}"
  [ -e "$policy" ] || { printf '#!/bin/sh\nexit 101\n' >"$policy"; chmod 755 "$policy"; ours=yes; }
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null || missing=()
  [ -z "$ours" ] || rm "$policy"
  [ ${#missing[@]} -gt 0 ] || die "apt-get could not install them"
}

# The program of a node is one of a control plane as well.
set_up_plane() { is_built kube-node control-plane "$kubernetes" || build_kubernetes kube-plane grpcnotrace "the first time takes some minutes"; }

set_up_node() {
  install containerd runc containernetworking-plugins nftables iproute2
  build_kubernetes kube-node grpcnotrace,node "the first time takes a quarter of an hour"
  build coredns dns "$coredns" "CoreDNS $coredns; the first time takes some minutes" -ldflags "-s -w"
  build pause pause 1 "what holds a pod's network" -ldflags "-s -w"
}

# Builds a program of somebody's module, where it is not there in this version. Usage: fetch PROGRAM PACKAGE VERSION FLAG…
fetch() {
  local program=$cache/$1 folder
  if [ -x "$program" ] && [ "$(cat "$program.version" 2>/dev/null)" = "$3" ]; then return; fi
  say "building ${1##*/} $3 (.cache/$1); this takes some minutes"
  mkdir -p "${program%/*}"
  folder=$(mktemp -d "$cache/fetched.XXXXXX")
  GOBIN=$folder go install -p "$jobs" -trimpath "${@:4}" "$2@$3"
  mv "$folder/${1##*/}" "$program"
  printf '%s\n' "$3" >"$program.version"
  rmdir "$folder"
}

set_up_helm() { fetch bin/helm helm.sh/helm/v4/cmd/helm "$helm" -ldflags "-s -w -X helm.sh/helm/v4/internal/version.version=$helm"; }

set_up_simulated() {
  build_kubernetes kube-node grpcnotrace,node "the first time takes a quarter of an hour"
  fetch kube/kwok sigs.k8s.io/kwok/cmd/kwok "$kwok" -ldflags "-s -w"
}

set_up_images() { install mmdebstrap; }

[ $# -gt 0 ] || set -- plane helm
for part in "$@"; do
  case $part in
    plane | node | helm | simulated | images) "set_up_$part" ;;
    *) die "unknown part \`$part\`; parts are: plane node helm simulated images" ;;
  esac
done
