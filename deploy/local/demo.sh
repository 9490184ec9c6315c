#!/usr/bin/env bash
# The demo: runs benchmark tasks with the planner that needs no model, then replays the tests recorded from the passed
# runs without a planner: each must pass on its own seed, and none may pass on a seed with another goal.
#
#   demo.sh RUTTER RUN_DIRECTORY SEEDS WORKERS
set -euo pipefail
rutter=$1 run=$2 seeds=$3 workers=$4

"$rutter" bench miniwob --suite demo --planner ground --seeds "$seeds" --workers "$workers" \
  --screenshots all --run-dir "$run"
echo
echo "Replaying the tests of the passed runs, without a planner:"
"$rutter" replay "$run/tests" --control --workers "$workers" --run-dir "$run/replay"
