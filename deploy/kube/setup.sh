#!/usr/bin/env bash
# Builds what a real Kubernetes on this machine is made of, from Go modules, and keeps it in .cache: each part is built once per
# version. Asks no registry of images.
#
#   deploy/kube/setup.sh [plane] [helm] [node] [images]
#
#   plane   etcd, API server, controller manager and kubectl, as one program (.cache/kube/kube-plane)
#   node    the same with scheduler, kubelet and proxy (.cache/kube/kube-node)
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
export CGO_ENABLED=0
# A build that somebody waits for may use every processor; `KUBE_BUILD_JOBS=1` leaves the others alone.
jobs=${KUBE_BUILD_JOBS:-$(nproc)}

say() { printf 'kube: %s\n' "$*" >&2; }
die() { printf 'kube: error: %s\n' "$*" >&2; exit 1; }

command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
command -v go >/dev/null || die "Go is needed to build Kubernetes; install it (1.24 or newer)"

# Builds one program from control-plane/. Usage: build PROGRAM TAGS WORDS
build() {
  local program=$cache/kube/$1 stamp=$cache/kube/$1.version wanted minor flags="-s -w"
  wanted=$kubernetes-$(cat "$here"/control-plane/{main.go,node.go,go.mod} | sha256sum | cut -c 1-12)
  if [ -x "$program" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then return; fi
  say "building Kubernetes $kubernetes (.cache/kube/$1); $3"
  mkdir -p "$cache/kube"
  minor=${kubernetes#1.}
  for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
    flags+=" -X $package.gitVersion=v$kubernetes -X $package.gitMajor=1 -X $package.gitMinor=${minor%%.*}"
  done
  (cd "$here/control-plane" && go build -p "$jobs" -trimpath -tags "$2" -ldflags "$flags" -o "$program.unfinished" .)
  mv "$program.unfinished" "$program"
  printf '%s\n' "$wanted" >"$stamp"
}

set_up_plane() { build kube-plane grpcnotrace "the first time takes some minutes"; }
set_up_node() { build kube-node grpcnotrace,node "the first time takes a quarter of an hour"; }

set_up_helm() {
  local program=$cache/bin/helm folder
  if [ -x "$program" ] && "$program" version --short 2>/dev/null | grep -q "^$helm"; then return; fi
  say "building helm $helm (.cache/bin/helm); this takes some minutes"
  mkdir -p "$cache/bin"
  folder=$(mktemp -d "$cache/helm.XXXXXX")
  GOBIN=$folder go install -p "$jobs" -trimpath -ldflags "-s -w \
    -X helm.sh/helm/v4/internal/version.version=$helm" \
    "helm.sh/helm/v4/cmd/helm@$helm"
  mv "$folder/helm" "$program"
  rmdir "$folder"
}

set_up_images() {
  command -v mmdebstrap >/dev/null && return
  command -v apt-get >/dev/null || die "images are put together from Debian's packages: install mmdebstrap"
  say "installing through apt-get: mmdebstrap"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mmdebstrap >/dev/null
}

[ $# -gt 0 ] || set -- plane helm
for part in "$@"; do
  case $part in
    plane | node | helm | images) "set_up_$part" ;;
    *) die "unknown part \`$part\`; parts are: plane node helm images" ;;
  esac
done
