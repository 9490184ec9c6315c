#!/usr/bin/env bash
# Builds the oldest version that docs/upgrading.md holds for into a folder, unless it is there.
#
#   older.sh FOLDER
set -euo pipefail

# The first version whose processes say what they read.
commit=bc36c1f9231a5d3d0b25897c9b3bc99a0b0f05c6
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=${1:?where it goes}
[ -x "$folder/rutter" ] && [ "$(cat "$folder/commit" 2>/dev/null)" = "$commit" ] && exit 0

mkdir -p "$folder"
sources=$(mktemp -d "$folder/sources.XXXXXX")
trap 'rm -rf "$sources"' EXIT
git -C "$root" archive "$commit" | tar -x -C "$sources"
echo "building the version of $commit (some minutes)" >&2
(cd "$sources" && CARGO_TARGET_DIR="$folder/target" cargo build --locked --release -p rutter)
cp "$folder/target/release/rutter" "$folder/rutter"
rm -rf "$folder/target"
echo "$commit" >"$folder/commit"
