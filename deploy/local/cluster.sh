#!/usr/bin/env bash
# A cluster on this machine, without containers: Kafka, Redis, PostgreSQL, a Selenium Grid of two browsers, and Rutter's roles
# as processes of their own.
#
#   cluster.sh up       starts what is not running (RUTTER names the program)
#   cluster.sh demo     does the tasks of the demo in one process and in the cluster, and compares every verdict
#   cluster.sh status   one line per process
#   cluster.sh logs     the last lines that each process wrote
#   cluster.sh down     stops everything; `clean` also removes its data
#
# Seeds of the demo are in SEEDS (0..3, as in `make demo`), results go to RESULTS (target/results).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
servers=$root/deploy/local/servers.sh
dir=${CLUSTER_DIR:-$root/.cache/cluster}
results=${RESULTS:-$root/target/results}
seeds=${SEEDS:-0..3}
roles=(rutter-campaigns rutter-aggregator rutter-planner rutter-graph rutter-crawler rutter-crawler-2)
export RUTTER=${RUTTER:-$root/target/release/rutter}
# Crawlers serve the benchmark's pages to the browsers of this machine.
export RUTTER_MINIWOB_DIR=${RUTTER_MINIWOB_DIR:-$root/.cache/miniwob/html}
export RUTTER_MINILM_DIR=${RUTTER_MINILM_DIR:-$root/.cache/minilm}

up() {
  "$servers" up --dir "$dir" kafka redis postgres grid
  "$servers" up --dir "$dir" "${roles[@]}"
  "$servers" status --dir "$dir" >&2
}

demo() {
  local run campaign
  run=$(mktemp -d "$dir/demo.XXXXXX")
  campaign=$(basename "$run")
  echo "the tasks of the demo, seeds $seeds, in one process:" >&2
  "$RUTTER" bench miniwob --suite demo --seeds "$seeds" --workers 2 --run-dir "$run/embedded" --output json >"$run/embedded.json"
  echo "the same tasks through Kafka, Redis, PostgreSQL, gRPC and two browsers of a Grid:" >&2
  "$RUTTER" submit --benchmark miniwob --suite demo --seeds "$seeds" --campaign "$campaign" --watch --config "$dir/rutter.toml" \
    --output json >"$run/cluster.json" || [ $? -eq 1 ]
  mkdir -p "$results"
  python3 "$root/deploy/local/compare.py" "$run/embedded/trajectories.jsonl" "$run/cluster.json" "$results/cluster-demo.json"
}

case ${1:-} in
  up) up ;;
  demo) demo ;;
  status) "$servers" status --dir "$dir" ;;
  logs) for name in "${roles[@]}" kafka redis postgres grid; do
      [ ! -f "$dir/$name/log" ] || { printf '== %s\n' "$name"; tail -n "${LINES_EACH:-8}" "$dir/$name/log" | cut -c 1-300; }
    done ;;
  down) "$servers" down --dir "$dir" ;;
  clean) "$servers" clean --dir "$dir" ;;
  *) sed -n '2,/^set -euo/p' "${BASH_SOURCE[0]}" | sed '$d; s/^# \{0,1\}//'; exit 2 ;;
esac
