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
# Waits for the end of the test runner first and starts nothing by itself: whatever happens from here on, it cleans up.
setsid bash -c '
  tail --pid="$1" -f /dev/null
  # A start that is still under way goes on until its servers answer.
  exec 9>"$3.lock"; flock 9
  "$2" clean --dir "$3"
  rm -f "$3.lock"
' watch "$runner" "$servers" "$dir" </dev/null >/dev/null 2>&1 &
exec 9>"$dir.lock"
flock 9
"$servers" up --dir "$dir" "${missing[@]}" 9>&-
cat "$dir/env" >>"$NEXTEST_ENV"
