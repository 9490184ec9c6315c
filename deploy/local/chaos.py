"""Does every kind of harm to a running cluster, one after the other, each in the middle of a campaign of its own, and says
whether the totals are right afterwards. Real servers, real browsers.

    chaos.py RUTTER CLUSTER_DIRECTORY OUTPUT.json [--seeds A..B] [--only NAME]...

For each fault: a campaign is submitted, the fault is done when some jobs have ended, what was killed is started again after two
seconds, and the campaign is watched to its end. It holds when every job has exactly one terminal outcome, queue and ledger
agree, nothing was counted twice, and no session is left on the Grid whose crawler is gone.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROLES = ["rutter-campaigns", "rutter-crawler", "rutter-planner", "rutter-aggregator"]
# How long a campaign may take to end after a fault, and orphans to be ended.
PATIENCE_S, ORPHANS_S = 240, 90

parser = argparse.ArgumentParser()
parser.add_argument("rutter")
parser.add_argument("directory", type=Path)
parser.add_argument("output", type=Path)
parser.add_argument("--seeds", default="0..2")
parser.add_argument("--only", action="append", default=[])
options = parser.parse_args()
environment = {**os.environ, "RUTTER": options.rutter, "RUTTER_LOG": "warn"}


def servers(*arguments):
    command = [HERE / "servers.sh", arguments[0], "--dir", options.directory, *arguments[1:]]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)


def rutter(*arguments):
    """A command of the CLI, asked again while the service behind it is away; its JSON."""
    command = [options.rutter, *arguments, "--config", options.directory / "rutter.toml", "--output", "json"]
    deadline = time.monotonic() + 60
    while True:
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        # 3: something of the surroundings failed, which is what a result here may say.
        if done.returncode in (0, 1, 3) and done.stdout.strip():
            return json.loads(done.stdout)
        if time.monotonic() > deadline:
            raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr}")
        time.sleep(0.3)


def read(name, file):
    return (options.directory / name / file).read_text().strip()


def grid(query):
    request = urllib.request.Request(
        f"http://127.0.0.1:{read('grid', 'port')}/graphql", json.dumps({"query": query}).encode()
    )
    return json.load(urllib.request.urlopen(request, timeout=10))["data"]


def orphans():
    """Sessions whose crawler is no process of the cluster any more."""
    alive = {read(folder.name, "pid") for folder in options.directory.glob("rutter-crawler*")}
    sessions = grid("{ sessionsInfo { sessions { capabilities } } }")["sessionsInfo"]["sessions"]
    owners = [json.loads(session["capabilities"]).get("rutter:owner", "") for session in sessions]
    return sum(owner.rsplit("-", 1)[-1] not in alive for owner in owners)


def kill_and_start(name):
    servers("kill", name)
    time.sleep(2)
    servers("start", name)


def terminate_and_start(name):
    os.kill(int(read(name, "pid")), signal.SIGTERM)
    servers("stop", name)
    servers("start", name)


def empty_redis():
    subprocess.run(["redis-cli", "-p", read("redis", "port"), "flushall"], check=True, stdout=subprocess.DEVNULL)


def kill_a_browser():
    found = subprocess.run(
        ["ps", "-o", "pid=,args=", "-s", read("grid-node-1", "pid")], capture_output=True, text=True
    ).stdout.splitlines()
    browsers = [line for line in found if "--remote-debugging" in line and "--type=" not in line]
    for line in browsers:
        os.kill(int(line.split()[0]), signal.SIGKILL)


def cut_off(name, seconds=30):
    """The process stands still: to the others it is as if its cable was cut."""
    process = int(read(name, "pid"))
    os.kill(process, signal.SIGSTOP)
    time.sleep(seconds)
    os.kill(process, signal.SIGCONT)


FAULTS = {
    **{f"kill -9 {name}": (lambda name=name: kill_and_start(name)) for name in [*ROLES, "kafka", "redis", "postgres", "grid-node-1"]},
    "empty redis": empty_redis,
    "kill -9 a browser": kill_a_browser,
    **{f"SIGTERM {name}": (lambda name=name: terminate_and_start(name)) for name in ROLES},
    "stop rutter-crawler for 30 s": lambda: cut_off("rutter-crawler"),
    "stop rutter-campaigns for 30 s": lambda: cut_off("rutter-campaigns"),
}


def one(number, name, fault):
    campaign = f"chaos-{os.getpid()}-{number}"
    jobs = rutter("submit", "--miniwob", "demo", "--seeds", options.seeds, "--campaign", campaign)["jobs"]

    def ended():
        tally = rutter("status", campaign)["tally"]
        return tally["judged"] + tally["quarantined"] + tally["cancelled"]

    while ended() < min(3, jobs):
        time.sleep(0.2)
    before, begun = ended(), time.monotonic()
    fault()
    recovered = None
    while (now := ended()) < jobs:
        if recovered is None and now > before:
            recovered = time.monotonic() - begun
        if time.monotonic() > begun + PATIENCE_S:
            break
        time.sleep(0.3)
    recovered = time.monotonic() - begun if recovered is None else recovered
    tally = rutter("status", campaign)["tally"]
    deadline = time.monotonic() + 60
    while True:
        results = rutter("results", campaign)
        totals = results["totals"]
        judged = sum(sum(count["verdicts"].values()) for _, count in totals["cells"])
        outcomes = judged + totals["quarantined"] + totals["cancelled"]
        if outcomes >= jobs or time.monotonic() > deadline:
            break
        time.sleep(0.5)
    different = len({one["job"] for one in results["outcomes"]}) + totals["quarantined"] + totals["cancelled"]
    deadline = time.monotonic() + ORPHANS_S
    while (left := orphans()) and time.monotonic() < deadline:
        time.sleep(1)
    return {
        "name": name,
        "jobs": jobs,
        "outcomes": outcomes,
        "totals_equal": outcomes == jobs == different
        and judged == tally["judged"]
        and totals["quarantined"] == tally["quarantined"],
        "counted_double": outcomes - different,
        "redeliveries": totals["redeliveries"],
        "lost_attempts": totals["lost_attempts"],
        "quarantined": totals["quarantined"],
        "orphan_sessions": left,
        "recovery_s": round(recovered, 1),
    }


columns = ["jobs", "outcomes", "totals_equal", "counted_double", "redeliveries", "lost_attempts", "orphan_sessions", "recovery_s"]
print(f"{'fault':32}" + "".join(f"{column:>16}" for column in columns))
faults = []
for number, (name, fault) in enumerate(FAULTS.items()):
    if options.only and name not in options.only:
        continue
    faults.append(one(number, name, fault))
    print(f"{name:32}" + "".join(f"{faults[-1][column]!s:>16}" for column in columns), flush=True)
options.output.parent.mkdir(parents=True, exist_ok=True)
options.output.write_text(json.dumps({"faults": faults}, indent=2) + "\n")
wrong = [fault for fault in faults if not fault["totals_equal"] or fault["counted_double"] or fault["orphan_sessions"]]
print(f"{len(faults)} faults, {len(wrong)} of them with wrong totals or orphans")
sys.exit(bool(wrong))
