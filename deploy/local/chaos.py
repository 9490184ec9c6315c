"""Does every kind of harm to a cluster of its own, one after the other, each in the middle of two campaigns, and says whether
the totals are right afterwards. Real servers and processes; one campaign runs in the browsers of a real Grid, the other, larger
one in those of a simulated Grid.

    chaos.py RUTTER SIMULATED_GRID CLUSTER_DIRECTORY OUTPUT.json [--jobs N] [--seeds A..B] [--only WORDS]...

For each fault: the campaigns are submitted, the fault is done when some jobs of both have ended, what was killed is started
again after two seconds, and both are watched to their end. It holds when every job has exactly one terminal outcome, queue and
ledger agree, nothing was counted twice, and no session is left on a Grid whose crawler is gone. The time to recover is that
from the beginning of the fault to the first job that ended after it was over: a process that is killed stays away for two seconds
at least, one that is frozen or cut off for thirty.

Harm to the maps is done in the middle of an exploration instead: made-up browsers (the program `walkers` beside SIMULATED_GRID)
try every action of a made-up site through the service. It holds when every state is found, every action was counted as tried
exactly once, and map and history have every transition once. Here `jobs` are the transitions that were reported, and `outcomes`
those that the map counts.

A process that is frozen for 30 s stands still (SIGSTOP), while its connections stay open. One that is cut off for 30 s goes on,
while every packet from it and to it is dropped: for that the whole cluster runs in a network of its own, which needs root and
`nft`; without them these faults are left out, and the output says so. The cluster is started in CLUSTER_DIRECTORY, which must not
exist, and removed with it in the end.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import network

HERE = Path(__file__).resolve().parent
SERVERS = ["kafka", "redis", "postgres", "grid"]
REAL, SIMULATED = "rutter-crawler", "rutter-crawler-3"
MAPS = "rutter-graph"
ROLES = ["rutter-campaigns", REAL, SIMULATED, "rutter-planner", "rutter-aggregator", MAPS]
# Nodes of the simulated Grid.
NODES = 2
# How long the campaigns may take to end after a fault, and orphans to be ended.
PATIENCE_S, ORPHANS_S = 300, 90

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("rutter")
parser.add_argument("simulated_grid")
parser.add_argument("directory", type=Path)
parser.add_argument("output", type=Path)
parser.add_argument("--jobs", type=int, default=200, help="jobs of the campaign on the simulated Grid")
parser.add_argument("--seeds", default="0..2", help="seeds of each of the demo's twelve tasks on the real Grid")
parser.add_argument("--only", action="append", default=[], help="faults whose names contain these words")
options = parser.parse_args()
no_cuts = network.missing()
if not no_cuts:
    network.enter()
environment = {**os.environ, "RUTTER": options.rutter, "RUTTER_LOG": "warn"}
# What the crawlers have beside the settings that all roles share.
settings = {name: {"RUTTER_CRAWLER__LABELS__BROWSERS": "real"} for name in [REAL, "rutter-crawler-2"]}
cuts = None if no_cuts else network.Cuts(ROLES)


def servers(command, *names):
    for name in names or [None]:
        arguments = [HERE / "servers.sh", command, "--dir", options.directory, *([name] if name else [])]
        group = {"ROLE_GROUP": str(cuts.group(name))} if cuts and name in ROLES else {}
        surroundings = {**environment, **group, **settings.get(name, {})}
        subprocess.run(arguments, check=True, env=surroundings, stdout=subprocess.DEVNULL)


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


def orphans(grid):
    """Sessions of a Grid whose crawler is no process of the cluster any more."""
    query = json.dumps({"query": "{ sessionsInfo { sessions { id capabilities } } }"}).encode()
    request = urllib.request.Request(f"{grid.rstrip('/')}/graphql", query, {"content-type": "application/json"})
    sessions = json.load(urllib.request.urlopen(request, timeout=30))["data"]["sessionsInfo"]["sessions"]
    alive = {read(folder.name, "pid") for folder in options.directory.glob("rutter-crawler*")}
    owners = [json.loads(session["capabilities"]).get("rutter:owner", "") for session in sessions]
    return sum(owner.rsplit("-", 1)[-1] not in alive for owner in owners)


def kill_and_start(name):
    servers("kill", name)
    time.sleep(2)
    servers("start", name)


def terminate_and_start(name):
    servers("stop", name)
    servers("start", name)


def empty_redis():
    subprocess.run(["redis-cli", "-p", read("redis", "port"), "flushall"], check=True, stdout=subprocess.DEVNULL)


def kill_a_browser():
    found = subprocess.run(["ps", "-o", "pid=,args=", "-s", read("grid-node-1", "pid")], capture_output=True, text=True)
    browsers = [line for line in found.stdout.splitlines() if "--remote-debugging" in line and "--type=" not in line]
    for line in browsers:
        os.kill(int(line.split()[0]), signal.SIGKILL)


def kill_simulated_nodes():
    for method in ["DELETE", "POST"]:
        for node in range(NODES):
            address = f"{simulated['grid'].rstrip('/')}/simulation/nodes/{node}"
            urllib.request.urlopen(urllib.request.Request(address, method=method))
        time.sleep(2)


def freeze(name):
    os.kill(int(read(name, "pid")), signal.SIGSTOP)
    time.sleep(30)
    os.kill(int(read(name, "pid")), signal.SIGCONT)


def cut_off(name):
    cuts.cut(name)
    try:
        time.sleep(30)
    finally:
        cuts.mend()


def each(words, harm, names):
    return {words.format(name): (lambda name=name: harm(name)) for name in names}


FAULTS = {
    **each("kill -9 {}", kill_and_start, [*ROLES, "kafka", "redis", "postgres", "grid-node-1"]),
    "empty redis": empty_redis,
    "kill -9 a browser": kill_a_browser,
    "kill the simulated nodes": kill_simulated_nodes,
    **each("SIGTERM {}", terminate_and_start, ROLES),
    **each("freeze {} for 30 s", freeze, ROLES),
    **each("cut off {} for 30 s", cut_off, ROLES if cuts else []),
}


def submit(campaign, kind):
    tasks = {
        "real": ["--miniwob", "demo", "--seeds", options.seeds],
        # Chance ends every wizard by its limit of steps, and asks the planner role for each of them.
        "simulated": [simulated["tasks"], "--planner", "random"],
    }[kind]
    return rutter("submit", *tasks, "--label", f"browsers={kind}", "--campaign", campaign)["jobs"]


def ended(campaign):
    tally = rutter("status", campaign)["tally"]
    return tally["judged"] + tally["quarantined"] + tally["cancelled"]


def settled(campaign, jobs):
    """What queue and ledger say of a campaign that has ended."""
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
    agree = judged == tally["judged"] and totals["quarantined"] == tally["quarantined"]
    return {
        "jobs": jobs,
        "outcomes": outcomes,
        "totals_equal": agree and outcomes == jobs == different,
        "counted_double": outcomes - different,
        "redeliveries": totals["redeliveries"],
        "lost_attempts": totals["lost_attempts"],
        "quarantined": totals["quarantined"],
    }


def walked(number, name, fault):
    """Harm in the middle of an exploration."""
    walkers = Path(options.simulated_grid).with_name("walkers")
    graph, kafka = (f"127.0.0.1:{read(server, 'port')}" for server in [MAPS, "kafka"])
    arguments = ["--graph", f"http://{graph}", "--brokers", kafka, "--number", str(number), "--latency-ms", "100"]
    process = subprocess.Popen([walkers, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stderr.readline()
    begun = time.monotonic()
    fault()
    # It answers again: the role is ready, and a question gets its answer.
    rutter("graph", "show", "--site", f"shop-{number}")
    recovered = time.monotonic() - begun
    said, errors = process.communicate(timeout=PATIENCE_S)
    if not said:
        raise SystemExit(f"walkers: {errors}")
    outcome = json.loads(said)
    return {
        "name": name,
        "jobs": outcome["reported"],
        "outcomes": outcome["counted"],
        "totals_equal": outcome["is_right"],
        "counted_double": outcome["counted_double"],
        "redeliveries": 0,
        "lost_attempts": outcome["lost"],
        "quarantined": 0,
        "orphan_sessions": 0,
        "recovery_s": round(recovered, 1),
        "exploration": outcome,
    }


def one(number, name, fault):
    if MAPS in name:
        return walked(number, name, fault)
    jobs = {}
    for kind in ["real", "simulated"]:
        campaign = f"chaos-{number}-{kind}"
        jobs[campaign] = submit(campaign, kind)
    while min(ended(campaign) for campaign in jobs) < 3:
        time.sleep(0.2)
    before, begun, recovered = sum(map(ended, jobs)), time.monotonic(), None
    with ThreadPoolExecutor(1) as harm:
        done = harm.submit(fault)
        while time.monotonic() < begun + PATIENCE_S:
            now = sum(map(ended, jobs))
            if recovered is None and done.done() and now > before:
                recovered = time.monotonic() - begun
            if now == sum(jobs.values()) and done.done():
                break
            if not done.done():
                before = now
            time.sleep(0.3)
        done.result()
    each_settled = [settled(campaign, count) for campaign, count in jobs.items()]
    deadline = time.monotonic() + ORPHANS_S
    while (left := orphans(real_grid) + orphans(simulated["grid"])) and time.monotonic() < deadline:
        time.sleep(1)
    sums = {key: sum(one[key] for one in each_settled) for key in each_settled[0]}
    return {
        "name": name,
        **sums,
        "totals_equal": all(one["totals_equal"] for one in each_settled),
        "orphan_sessions": left,
        "recovery_s": round(recovered if recovered is not None else time.monotonic() - begun, 1),
    }


if options.directory.exists():
    raise SystemExit(f"{options.directory} is there already; remove it with `servers.sh clean --dir {options.directory}`")
options.directory.mkdir(parents=True)
tasks = options.directory / "wizards.jsonl"
grid_arguments = ["--nodes", NODES, "--sessions", "20", "--latency", "chromium", "--tasks", tasks, "--wizards", options.jobs, "--child"]
grid_process = subprocess.Popen(
    [options.simulated_grid, *map(str, grid_arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
)
try:
    simulated = {**json.loads(grid_process.stdout.readline()), "tasks": tasks}
    settings[SIMULATED] = {
        "RUTTER_CRAWLER__LABELS__BROWSERS": "simulated",
        "RUTTER_CRAWLER__BROWSER__WEBDRIVER": simulated["grid"],
        "RUTTER_CRAWLER__SLOTS": "16",
    }
    # However this process ends, its cluster ends with it.
    until = [HERE / "servers.sh", "up", "--dir", options.directory, "--until", str(os.getpid()), *SERVERS]
    subprocess.run(until, check=True, env=environment, stdout=subprocess.DEVNULL)
    real_grid = f"http://127.0.0.1:{read('grid', 'port')}"
    servers("up", *ROLES, "rutter-crawler-2")
    if no_cuts:
        print(f"left out: roles cut off from the others, for which this machine lacks {no_cuts}", flush=True)
    columns = ["jobs", "outcomes", "totals_equal", "counted_double", "redeliveries", "lost_attempts", "orphan_sessions", "recovery_s"]
    print(f"{'fault':38}" + "".join(f"{column:>16}" for column in columns), flush=True)
    faults = []
    for number, (name, fault) in enumerate(FAULTS.items()):
        if options.only and not any(words in name for words in options.only):
            continue
        faults.append(one(number, name, fault))
        print(f"{name:38}" + "".join(f"{faults[-1][column]!s:>16}" for column in columns), flush=True)
finally:
    servers("clean")
    grid_process.stdin.close()
    grid_process.wait(timeout=30)
options.output.parent.mkdir(parents=True, exist_ok=True)
options.output.write_text(json.dumps({"faults": faults, "cuts_left_out_for_lack_of": no_cuts}, indent=2) + "\n")
wrong = [fault for fault in faults if not fault["totals_equal"] or fault["counted_double"] or fault["orphan_sessions"]]
print(f"{len(faults)} faults, {len(wrong)} of them with wrong totals or orphans; written to {options.output}")
sys.exit(bool(wrong))
