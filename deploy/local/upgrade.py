"""The version before and this one beside each other, in one cluster of real servers and processes: rolled forward, role by role,
while a campaign is in flight, and back again while another one is.

    upgrade.py OLDER NEWER CLUSTER_DIRECTORY OUTPUT.json [--seeds A..B]

OLDER and NEWER are two programs. It holds when
- every job of both campaigns has exactly one verdict, which is that of one process of NEWER, and queue, ledger and the outcomes
  themselves agree; nothing is in quarantine;
- a campaign with stages, which OLDER does not know, is refused while a process of OLDER is present, with its name, and done once
  none is; what it left does not trouble OLDER afterwards;
- each version reads the run directories, tests and maps that the other one wrote.
The cluster is started in CLUSTER_DIRECTORY, which must not exist, and removed with it in the end.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SERVERS = ["kafka", "redis", "postgres", "grid"]
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
PROGRAMS = {"older": options.older, "newer": options.newer}
failures = []


def holds(what, is_so):
    print(("holds: " if is_so else "FAILS: ") + what, file=sys.stderr, flush=True)
    if not is_so:
        failures.append(what)


def servers(command, name, version="newer"):
    arguments = [HERE / "servers.sh", command, "--dir", options.directory, name]
    environment = {**os.environ, "RUTTER": PROGRAMS[version], "RUTTER_LOG": "warn"}
    subprocess.run(arguments, check=True, env=environment, stdout=subprocess.DEVNULL)


def rutter(version, *arguments, may_end=(0, 1)):
    """A command of one version: its exit code, what it printed, and what it said."""
    command = [PROGRAMS[version], *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in may_end:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    return done.returncode, done.stdout, done.stderr


def cluster(version, *arguments, may_end=(0, 1)):
    return rutter(version, *arguments, "--config", options.directory / "rutter.toml", "--output", "json", may_end=may_end)


def submit(version, campaign, *more, may_end=(0, 1)):
    suite = ["--benchmark", "miniwob", "--suite", "demo", "--seeds", options.seeds]
    return cluster(version, "submit", *suite, "--campaign", campaign, *more, may_end=may_end)


def tally(version, campaign):
    return json.loads(cluster(version, "status", campaign)[1])["tally"]


def until(what, is_so):
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        if time.monotonic() > deadline:
            raise SystemExit(f"waited for {PATIENCE_S} s: {what}")
        time.sleep(0.5)


def ended(version, campaign):
    counts = tally(version, campaign)
    return counts["judged"] + counts["quarantined"] + counts["cancelled"], counts["jobs"]


def roll(campaign, asker, to):
    """Each role in turn becomes the other version, with some jobs ending in between."""
    for role in ROLES if to == "newer" else reversed(ROLES):
        before, jobs = ended(asker, campaign)
        servers("stop", role, to)
        servers("start", role, to)
        until("jobs end beside two versions", lambda: ended(asker, campaign)[0] >= min(jobs, before + 2))
        print(f"{role} is {to} now: {ended(asker, campaign)[0]} of {jobs} jobs have ended", file=sys.stderr, flush=True)


def results(version, campaign):
    """The verdicts of a campaign by job, once all have ended; and whether all that counts agrees."""
    until("the campaign ends", lambda: len(set(ended(version, campaign))) == 1)
    _, printed, _ = cluster(version, "results", campaign)
    told = json.loads(printed)
    outcomes = told["outcomes"]
    counts = tally(version, campaign)
    verdicts = {outcome["job"]: outcome["verdict"] for outcome in outcomes}
    is_exact = counts["jobs"] == counts["judged"] == len(outcomes) == len(verdicts) == told["episodes"]
    holds(f"{campaign}: {counts['jobs']} jobs, {len(outcomes)} outcomes, the ledger counts {told['episodes']}", is_exact)
    holds(f"{campaign}: nothing in quarantine", counts["quarantined"] == 0)
    return verdicts


def main(place):
    runs = {}
    for version in PROGRAMS:
        runs[version] = place / f"run-{version}"
        suite = ["--suite", "demo", "--seeds", options.seeds, "--planner", "ground", "--workers", "2"]
        rutter(version, "bench", "miniwob", *suite, "--run-dir", runs[version], "--output", "json")
    alone = {one["job"]: one["verdict"] for one in json.loads((runs["newer"] / "results.json").read_text())["outcomes"]}
    for version, other in [("older", "newer"), ("newer", "older")]:
        code, _, said = rutter(version, "report", runs[other], "--output", "json", may_end=range(256))
        holds(f"{version} reads a run directory of {other} {said.strip()[:200]}", code in (0, 1))
        tests = sorted((runs[other] / "tests").glob("*.json"))[:6]
        replayed = place / f"replay-{version}"
        code, _, said = rutter(version, "replay", *tests, "--run-dir", replayed, "--trust", may_end=range(256))
        holds(f"{version} replays tests of {other} {said.strip()[-200:] if code else ''}", code == 0)

    for name in SERVERS:
        servers("up", name)
    for role in ROLES:
        servers("up", role, "older")
    submit("older", "forward")
    refusals()
    roll("forward", "older", "newer")
    forward = results("newer", "forward")
    holds("forward: every verdict is that of one process", forward == alone)

    time.sleep(GONE_S)
    submit("newer", "staged", "--again", "1")
    staged = results("newer", "staged")
    failed = {job for job, verdict in staged.items() if "~" not in job and not verdict.startswith("PASSED")}
    again = {job.split("~")[0] for job in staged if job.endswith("~again")}
    holds(f"staged: {len(again)} jobs were tried again, and one study was made", again == failed and "~steadiness" in staged)

    submit("newer", "back")
    roll("back", "newer", "older")
    back = results("older", "back")
    holds("back: every verdict is that of one process", back == alone)
    listed = json.loads(cluster("older", "status")[1])
    names = {status["campaign"]["id"] for status in listed}
    holds(f"older lists {', '.join(sorted(names))}", {"forward", "back"} <= names)
    return {"jobs": len(forward) + len(back) + len(staged), "verdicts_differ": sum(
        verdicts.get(job) != verdict for verdicts in (forward, back) for job, verdict in alone.items())}


def refusals():
    """While processes of the older version are present, what they do not know is refused by name. Ends with the queue as it was."""
    servers("stop", "rutter-campaigns", "newer")
    servers("start", "rutter-campaigns", "newer")
    code, _, said = submit("newer", "too-early", "--again", "1", may_end=range(256))
    named = re.search(r"version", said)
    holds(f"stages are refused while an older process is present: {said.strip()[:300]}", code not in (0, 1) and bool(named))
    servers("stop", "rutter-campaigns", "older")
    servers("start", "rutter-campaigns", "older")


if options.directory.exists():
    raise SystemExit(f"{options.directory} exists: name a directory that does not")
with tempfile.TemporaryDirectory() as place:
    try:
        figures = main(Path(place))
    finally:
        subprocess.run([HERE / "servers.sh", "clean", "--dir", options.directory], check=False, stdout=subprocess.DEVNULL)
options.output.parent.mkdir(parents=True, exist_ok=True)
options.output.write_text(json.dumps({**figures, "failures": failures}, indent=2) + "\n")
print(f"{figures['jobs']} jobs, {figures['verdicts_differ']} verdicts differ, {len(failures)} failures")
raise SystemExit(1 if failures else 0)
