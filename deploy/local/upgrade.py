"""The version before and this one beside each other, in one cluster of real servers and processes: rolled forward, role by role,
while a campaign is in flight, and back again while another one is.

    upgrade.py OLDER NEWER CLUSTER_DIRECTORY OUTPUT.json [--seeds A..B]

OLDER and NEWER are two programs. It holds when
- every job of both campaigns has exactly one verdict, which is that of one process of NEWER, and queue, ledger and the outcomes
  themselves agree; nothing is in quarantine;
- a campaign with stages, which OLDER does not know, is refused while a process of OLDER is present, with its name, and done once
  none is; what it left does not trouble OLDER afterwards;
- each version reads the run directories and tests that the other one wrote.
The cluster is started in CLUSTER_DIRECTORY, which must not exist, and removed with it in the end.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from cluster import Cluster

# The order of docs/upgrading.md: those first that only read what others write.
ROLES = ["rutter-graph", "rutter-aggregator", "rutter-planner", "rutter-crawler", "rutter-crawler-2", "rutter-campaigns"]
# How long a campaign may take, and a process to be off the list of those that are present.
PATIENCE_S, GONE_S = 420, 12

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("older")
parser.add_argument("newer")
parser.add_argument("directory", type=Path)
parser.add_argument("output", type=Path)
parser.add_argument("--seeds", default="0..5", help="seeds of each of the demo's twelve tasks")
options = parser.parse_args()


def submit(cluster, version, campaign, *more, may_end=(0, 1)):
    suite = ["--benchmark", "miniwob", "--suite", "demo", "--seeds", options.seeds]
    return cluster.asks("submit", *suite, "--campaign", campaign, *more, program=version, may_end=may_end)


def roll(cluster, campaign, asker, to):
    """Each role in turn becomes the other version, with some jobs ending in between."""
    for role in ROLES if to == "newer" else reversed(ROLES):
        before, jobs = cluster.ended(campaign, asker)
        cluster.servers("stop", role, to)
        cluster.servers("start", role, to)
        cluster.until("jobs end beside two versions", lambda: cluster.ended(campaign, asker)[0] >= min(jobs, before + 2))
        print(f"{role} is {to} now: {cluster.ended(campaign, asker)[0]} of {jobs} jobs have ended", file=sys.stderr, flush=True)


def files_of_each_other(cluster, place):
    """Each version reads what the other one leaves behind; returns the verdicts of the newer one on its own."""
    runs = {}
    for version in cluster.programs:
        runs[version] = place / f"run-{version}"
        suite = ["--suite", "demo", "--seeds", options.seeds, "--planner", "ground", "--workers", "2"]
        cluster.rutter("bench", "miniwob", *suite, "--run-dir", runs[version], "--output", "json", program=version)
    for version, other in [("older", "newer"), ("newer", "older")]:
        code, _, said = cluster.rutter("report", runs[other], "--output", "json", program=version, may_end=range(256))
        cluster.holds(f"{version} reads a run directory of {other}{said.strip()[-200:] if code > 1 else ''}", code in (0, 1))
        tests = sorted((runs[other] / "tests").glob("*.json"))[:6]
        replay = ["replay", *tests, "--run-dir", place / f"replay-{version}", "--trust"]
        code, _, said = cluster.rutter(*replay, program=version, may_end=range(256))
        cluster.holds(f"{version} replays tests of {other}{said.strip()[-200:] if code else ''}", code == 0)
    outcomes = json.loads((runs["newer"] / "results.json").read_text())["outcomes"]
    return {outcome["job"]: outcome["verdict"] for outcome in outcomes}


def refused_while_somebody_is_older(cluster):
    """What the older version does not know is refused by the queue of the newer one, with the name of who does not know it."""
    cluster.servers("stop", "rutter-campaigns", "newer")
    cluster.servers("start", "rutter-campaigns", "newer")
    code, printed, said = submit(cluster, "newer", "too-early", "--again", "1", may_end=range(256))
    cluster.servers("stop", "rutter-campaigns", "older")
    cluster.servers("start", "rutter-campaigns", "older")
    is_named = "campaign.stages: the process" in said + printed
    cluster.holds(f"stages are refused while an older process is present: {(said + printed).strip()[:300]}", code > 1 and is_named)


def main(cluster, place):
    alone = files_of_each_other(cluster, place)
    for role in ROLES:
        cluster.servers("up", role, "older")
    refused_while_somebody_is_older(cluster)
    submit(cluster, "older", "forward")
    roll(cluster, "forward", "older", "newer")
    forward = cluster.results("forward", "newer")

    time.sleep(GONE_S)
    submit(cluster, "newer", "staged", "--again", "1")
    staged = cluster.results("staged", "newer")
    failed = {job for job, verdict in staged.items() if "~" not in job and not verdict.startswith("PASSED")}
    again = {job.split("~")[0] for job in staged if job.endswith("~again")}
    cluster.holds(f"staged: {len(again)} jobs were tried again, and one study was made", again == failed and "~steadiness" in staged)

    submit(cluster, "newer", "back")
    roll(cluster, "back", "newer", "older")
    back = cluster.results("back", "older")
    names = {status["campaign"]["id"] for status in json.loads(cluster.asks("status", program="older")[1])}
    cluster.holds(f"the older version lists {', '.join(sorted(names))}", {"forward", "back", "staged"} <= names)
    differ = [f"{job}: {verdicts.get(job)} instead of {verdict}" for verdicts in (forward, back)
              for job, verdict in alone.items() if verdicts.get(job) != verdict]
    cluster.holds(f"every verdict is that of one process {differ or ''}", not differ)
    return {"jobs": len(forward) + len(staged) + len(back), "verdicts_differ": len(differ), "failures": cluster.failures}


with tempfile.TemporaryDirectory() as place, Cluster(options.directory, {"older": options.older, "newer": options.newer}, PATIENCE_S) as cluster:
    figures = main(cluster, Path(place))
options.output.parent.mkdir(parents=True, exist_ok=True)
options.output.write_text(json.dumps(figures, indent=2) + "\n")
print(f"{figures['jobs']} jobs, {figures['verdicts_differ']} verdicts differ, {len(figures['failures'])} failures")
raise SystemExit(1 if figures["failures"] else 0)
