#!/usr/bin/env bash
# Gives one test run servers of its own; cargo-nextest runs it when a test that needs them is to be run (.config/nextest.toml).
#
#   for-tests.sh SERVER…
#
# The servers end with the test run, however it ends. Where the environment says already where a server is, that one is used.
set -euo pipefail
servers=$(dirname "${BASH_SOURCE[0]}")/../servers.sh
runner=$PPID

missing=()
for name in "$@"; do
  variable=RUTTER_TEST_${name^^}
  [ -n "${!variable:-}" ] || missing+=("$name")
done
[ ${#missing[@]} -gt 0 ] || exit 0

dir=$(mktemp -d "${TMPDIR:-/tmp}/rutter-servers.XXXXXX")
chmod 711 "$dir"
"$servers" up --dir "$dir" --until "$runner" "${missing[@]}"
cat "$dir/env" >>"$NEXTEST_ENV"
