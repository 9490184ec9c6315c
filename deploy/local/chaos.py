"""Does every kind of harm to a cluster of its own, one after the other, each in the middle of two campaigns, and says whether
the totals are right afterwards. Real servers and processes; one campaign runs in the browsers of a real Grid, the other, larger
one in those of a simulated Grid.

    chaos.py RUTTER SIMULATED_GRID CLUSTER_DIRECTORY OUTPUT.json [--jobs N] [--seeds A..B] [--only WORDS]...

For each fault: the campaigns are submitted, the fault is done when the campaign that it harms is in the middle of its work,
what was killed is started again after two seconds, and both are watched to their end. It holds when every job has exactly one
verdict, queue, ledger and the outcomes themselves agree, nothing was counted twice, and no Grid has a session whose crawler is
gone, or more of one than that crawler may keep. The time to recover is that from the beginning of the fault to the first job of
the harmed campaign that ended after it was over (the later one where both are harmed), as the queue says, and for harm to the
ledger as the ledger says: a process that is killed stays away for two seconds at least, one that is frozen or cut off for thirty.
It is null when nothing was left to end then.

A planner that is harmed costs no attempt: it is asked again until it answers.

A fault must meet work. `met` counts the attempts of the harmed campaign that are lost after the death of a crawler, of nodes or
of a browser, as the ledger says; a fault that met nothing is done again, three times at most. Of other faults `met` is null.

What is asked of queue and ledger goes through their services and the figures of the roles; no table is read.

Harm to the maps is done in the middle of an exploration instead: made-up browsers (the program `walkers` beside SIMULATED_GRID)
try every action of a made-up site through the service. It holds when every state is found, every action was counted as tried
exactly once, and map and history have every transition once. Here `jobs` are the transitions that were reported, and `outcomes`
those that the map counts; there are no redeliveries and no sessions to count.

A process that is frozen for 30 s stands still (SIGSTOP), while its connections stay open. One that is cut off for 30 s goes on,
while every packet from it and to it is dropped: for that the whole cluster runs in a network of its own, which needs root and
`nft`; without them it does not begin, unless CHAOS_WITHOUT_CUTS is set: then these faults are left out, and the output says so.
The cluster is started in CLUSTER_DIRECTORY, which must not exist, and removed with it in the end.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import network

HERE = Path(__file__).resolve().parent
SERVERS = ["kafka", "redis", "postgres", "grid"]
REAL, SIMULATED = "rutter-crawler", "rutter-crawler-3"
MAPS = "rutter-graph"
PLANNER = "rutter-planner"
ROLES = ["rutter-campaigns", REAL, SIMULATED, PLANNER, "rutter-aggregator", MAPS]
# Nodes of the simulated Grid, and slots of its crawler.
NODES, SLOTS = 2, 16
# Browsers that a crawler keeps for its next jobs, for as long as it lives: four jobs of the benchmark share one.
KEEPS = {REAL: 1, "rutter-crawler-2": 1, SIMULATED: SLOTS}
# How long the campaigns may take to end after a fault, and orphans to be ended.
PATIENCE_S, ORPHANS_S = 300, 90
# How often a fault is done until it meets work.
TRIES = 3
# What `servers.sh stop` ends with when SIGTERM was not enough.
ESCALATED = 4

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
if no_cuts and "CHAOS_WITHOUT_CUTS" not in os.environ:
    raise SystemExit(f"no role can be cut off, for which this machine lacks {no_cuts}; CHAOS_WITHOUT_CUTS=1 leaves that out")
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
    # Longer than any role is frozen or cut off.
    deadline = time.monotonic() + 120
    while True:
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        # 3 and 4: something of the surroundings or a planner failed, which is what a result here may say.
        if done.returncode in (0, 1, 3, 4) and done.stdout.strip():
            said = json.loads(done.stdout)
            if "error" not in said:
                return said
        if time.monotonic() > deadline:
            raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr}")
        time.sleep(0.3)


def read(name, file):
    return (options.directory / name / file).read_text().strip()


def figure(name, role):
    """A figure without labels that a role tells of itself."""
    address = f"http://127.0.0.1:{read(role, 'admin-port')}/metrics"
    lines = urllib.request.urlopen(address, timeout=30).read().decode().splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.split("{")[0].split()[:1] == [name])


def orphans(grid):
    """Sessions of a Grid whose crawler is no process of the cluster any more, and those that are too many for one that is."""
    query = json.dumps({"query": "{ sessionsInfo { sessions { id capabilities } } }"}).encode()
    request = urllib.request.Request(f"{grid.rstrip('/')}/graphql", query, {"content-type": "application/json"})
    sessions = json.load(urllib.request.urlopen(request, timeout=30))["data"]["sessionsInfo"]["sessions"]
    owners = Counter(json.loads(session["capabilities"]).get("rutter:owner", "").rsplit("-", 1)[-1] for session in sessions)
    keeps = {read(name, "pid"): browsers for name, browsers in KEEPS.items()}
    return sum(max(0, count - keeps.get(owner, 0)) for owner, count in owners.items())


def kill_and_start(name):
    servers("kill", name)
    time.sleep(2)
    servers("start", name)


def terminate_and_start(name):
    failures = []
    try:
        servers("stop", name)
    except subprocess.CalledProcessError as error:
        if error.returncode != ESCALATED:
            raise
        failures.append(f"SIGTERM did not end {name}, SIGKILL did")
    servers("start", name)
    return {"failures": failures}


def empty_redis():
    subprocess.run(["redis-cli", "-p", read("redis", "port"), "flushall"], check=True, stdout=subprocess.DEVNULL)


def browsers():
    """Processes of the browsers of a node of the real Grid."""
    found = subprocess.run(["ps", "-o", "pid=,args=", "-s", read("grid-node-1", "pid")], capture_output=True, text=True)
    lines = [line for line in found.stdout.splitlines() if "--remote-debugging" in line and "--type=" not in line]
    return [int(line.split()[0]) for line in lines]


def kill_a_browser():
    deadline = time.monotonic() + 30
    while not (found := browsers()):
        if time.monotonic() > deadline:
            return {"failures": ["there was no browser to kill"]}
        time.sleep(0.1)
    for process in found:
        # It may have ended since.
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def nodes(method):
    """What the simulated Grid answers when something is done to each of its nodes."""
    address = f"{simulated['grid'].rstrip('/')}/simulation/nodes"
    requests = [urllib.request.Request(f"{address}/{node}", method=method) for node in range(NODES)]
    return [json.load(urllib.request.urlopen(request, timeout=30)) for request in requests]


def kill_simulated_nodes():
    lost = sum(answer["lost"] for answer in nodes("DELETE"))
    time.sleep(2)
    nodes("POST")
    return {"sessions_lost": lost}


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
# Faults that cost somebody an attempt.
COSTLY = [f"kill -9 {victim}" for victim in [REAL, SIMULATED, "grid-node-1", "a browser"]] + ["kill the simulated nodes"]


def submit(campaign, kind):
    tasks = {
        "real": ["--benchmark", "miniwob", "--suite", "demo", "--seeds", options.seeds],
        # Chance ends every wizard by its limit of steps, and asks the planner role for each of them.
        "simulated": [simulated["tasks"], "--planner", "random"],
    }[kind]
    return rutter("submit", *tasks, "--label", f"browsers={kind}", "--campaign", campaign)["jobs"]


def victim(name):
    """The kinds of campaigns that a fault harms, first the one that must be at work; and the crawler that must be, if it is one."""
    if SIMULATED in name or "simulated" in name:
        return ["simulated"], SIMULATED if SIMULATED in name else None
    if REAL in name or "grid-node" in name or "browser" in name:
        return ["real"], REAL if REAL in name else None
    return ["simulated", "real"], None


def ended(campaign):
    tally = rutter("status", campaign)["tally"]
    return tally["judged"] + tally["quarantined"] + tally["cancelled"]


def counted(campaign):
    """Jobs that have ended as the ledger has counted them; while it is away, this waits for it."""
    totals = rutter("results", campaign)["totals"]
    judged = sum(sum(count["verdicts"].values()) for _, count in totals["cells"])
    return judged + totals["quarantined"] + totals["cancelled"]


def lost(campaign):
    """Attempts that came to no outcome, as the ledger has counted them."""
    return rutter("results", campaign)["totals"]["lost_attempts"]


def is_at_work(campaign, jobs, crawler):
    """Waits until some jobs have ended and some are under way; false when fewer than a quarter are left, or it takes too long."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        tally = rutter("status", campaign)["tally"]
        left = tally["waiting"] + tally["running"]
        if left < jobs / 4:
            return False
        if jobs - left >= 3 and tally["running"] > 0 and (crawler is None or figure("rutter_slots_used", crawler) > 0):
            return True
        time.sleep(0.1)
    return False


def settled(campaign, jobs):
    """What queue and ledger say of a campaign that has ended, when they say nothing new any more; and where they differ."""
    deadline = time.monotonic() + 60
    before = None
    while True:
        tally, results = said = rutter("status", campaign)["tally"], rutter("results", campaign)
        totals, cells = results["totals"], results["totals"]["cells"]
        judged = sum(sum(count["verdicts"].values()) for _, count in cells)
        outcomes = judged + totals["quarantined"] + totals["cancelled"]
        in_queue = tally["judged"] + tally["quarantined"] + tally["cancelled"]
        if (min(outcomes, in_queue) >= jobs and said == before) or time.monotonic() > deadline:
            break
        before = said
        time.sleep(1)
    listed, scores = results["outcomes"], results["scores"]
    different = len({one["job"] for one in listed}) + totals["quarantined"] + totals["cancelled"]
    verdicts = Counter()
    for cell, count in cells:
        verdicts.update({(cell["task"], verdict): times for verdict, times in count["verdicts"].items()})
    usage = [count["usage"] for _, count in cells]
    tokens = sum(one["prompt_tokens"] + one["completion_tokens"] for one in usage)
    # The ledger counts whole microseconds, and billionths of a dollar.
    wall_ms = sum(count["wall_ms"] for _, count in cells) - sum(one["wall_ms"] for one in listed)
    cost_usd = sum(one["cost_usd"] for one in usage) - scores["cost_usd"]
    equal = {
        "jobs": outcomes == jobs == different == len(listed) + totals["quarantined"] + totals["cancelled"] == tally["jobs"],
        "the queue's ends": (judged, totals["quarantined"], totals["cancelled"])
        == (tally["judged"], tally["quarantined"], tally["cancelled"]),
        "verdicts": verdicts == Counter((one["task"], one["verdict"]) for one in listed),
        "steps": sum(count["steps"] for _, count in cells) == sum(one["steps"] for one in listed),
        "tokens": tokens == scores["tokens"],
        "cost": abs(cost_usd) < 1e-6,
        "wall time": abs(wall_ms) < 0.01 * jobs,
    }
    return {
        "jobs": jobs,
        "outcomes": outcomes,
        # A job that ended twice, whichever way, is one outcome more than there are jobs.
        "counted_double": max(0, outcomes - min(different, jobs)),
        "redeliveries": totals["redeliveries"],
        "lost_attempts": totals["lost_attempts"],
        "quarantined": totals["quarantined"],
    }, [what for what, is_equal in equal.items() if not is_equal]


def walked(site, name, fault):
    """Harm in the middle of an exploration."""
    walkers = Path(options.simulated_grid).with_name("walkers")
    graph, kafka = (f"127.0.0.1:{read(server, 'port')}" for server in [MAPS, "kafka"])
    arguments = ["--graph", f"http://{graph}", "--brokers", kafka, "--number", str(site), "--latency-ms", "100"]
    process = subprocess.Popen([walkers, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stderr.readline()
    begun = time.monotonic()
    said = fault() or {}
    is_met = process.poll() is None
    # It answers again: the role is ready, and a question gets its answer.
    rutter("graph", "show", "--site", f"shop-{site}")
    recovered = time.monotonic() - begun
    printed, errors = process.communicate(timeout=PATIENCE_S)
    if not printed:
        raise SystemExit(f"walkers: {errors}")
    outcome = json.loads(printed)
    failures = said.pop("failures", [])
    if not outcome["is_right"]:
        failures.append(f"map and history do not have everything exactly once: {printed.strip()}")
    return {
        "name": name,
        "jobs": outcome["reported"],
        "outcomes": outcome["counted"],
        "totals_equal": outcome["is_right"],
        "counted_double": outcome["counted_double"],
        "redeliveries": None,
        "lost_attempts": outcome["lost"],
        "quarantined": None,
        "orphan_sessions": None,
        "recovery_s": round(recovered, 1),
        "met": None if is_met else 0,
        "failures": failures,
        "exploration": outcome,
        **said,
    }


def crawled(run, name, fault):
    """Harm in the middle of two campaigns."""
    jobs = {}
    for kind in ["real", "simulated"]:
        campaign = f"chaos-{run}-{kind}"
        jobs[campaign] = submit(campaign, kind)
    kinds, crawler = victim(name)
    harmed = [f"chaos-{run}-{kind}" for kind in kinds]
    progress = counted if "rutter-aggregator" in name else ended
    is_met = is_at_work(harmed[0], jobs[harmed[0]], crawler)
    # What a crawler held when it was killed; of the rest the ledger counts the attempts that it knew of.
    held = figure("rutter_slots_used", crawler) if crawler else 0
    lost_before = lost(harmed[0])
    before, begun, recovered = {campaign: progress(campaign) for campaign in jobs}, time.monotonic(), {}
    with ThreadPoolExecutor(1) as harm:
        done = harm.submit(fault)
        while time.monotonic() < begun + PATIENCE_S:
            now = {campaign: progress(campaign) for campaign in jobs}
            if not done.done():
                before = now
            else:
                for campaign in harmed:
                    if now[campaign] > before[campaign]:
                        recovered.setdefault(campaign, time.monotonic() - begun)
                if all(now[campaign] >= jobs[campaign] for campaign in jobs):
                    break
            time.sleep(0.3)
        said = done.result() or {}
    each_settled = [settled(campaign, count) for campaign, count in jobs.items()]
    met = max(int(held), lost(harmed[0]) - lost_before) if name in COSTLY else None
    deadline = time.monotonic() + ORPHANS_S
    while (left := orphans(real_grid) + orphans(simulated["grid"])) and time.monotonic() < deadline:
        time.sleep(1)
    sums = {key: sum(one[key] for one, _ in each_settled) for key in each_settled[0][0]}
    differences = [f"{what} of {campaign}" for campaign, (_, found) in zip(jobs, each_settled) for what in found]
    failures = said.pop("failures", [])
    if differences:
        failures.append(f"not equal: {', '.join(differences)}")
    for key, words in [("counted_double", "counted twice"), ("quarantined", "jobs in quarantine")]:
        if sums[key]:
            failures.append(f"{sums[key]} {words}")
    if PLANNER in name and sums["lost_attempts"]:
        failures.append(f"{sums['lost_attempts']} attempts lost with the planner")
    if left:
        failures.append(f"{left} sessions left behind")
    return {
        "name": name,
        **sums,
        "totals_equal": not differences,
        "orphan_sessions": left,
        "recovery_s": round(max(recovered.values()), 1) if recovered else None,
        "met": met if is_met else 0,
        "failures": failures,
        **said,
    }


def one(place, name, fault):
    """Does a fault until it meets work, or fails otherwise."""
    for attempt in range(TRIES):
        if MAPS in name:
            row = walked(place + 100 * attempt, name, fault)
        else:
            row = crawled(f"{place}-{attempt}", name, fault)
        if row["met"] != 0 or row["failures"]:
            break
    if row["met"] == 0:
        row["failures"].append(f"it met no work, tried {attempt + 1} times")
    return row


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
        "RUTTER_CRAWLER__SLOTS": str(SLOTS),
    }
    # However this process ends, its cluster ends with it.
    until = [HERE / "servers.sh", "up", "--dir", options.directory, "--until", str(os.getpid()), *SERVERS]
    subprocess.run(until, check=True, env=environment, stdout=subprocess.DEVNULL)
    real_grid = f"http://127.0.0.1:{read('grid', 'port')}"
    servers("up", *ROLES, "rutter-crawler-2")
    if no_cuts:
        print(f"left out: roles cut off from the others, for which this machine lacks {no_cuts}", flush=True)
    columns = ["jobs", "outcomes", "totals_equal", "counted_double", "redeliveries", "lost_attempts", "orphan_sessions"]
    columns += ["recovery_s", "met"]
    print(f"{'fault':38}" + "".join(f"{column:>16}" for column in columns), flush=True)
    faults = []
    for place, (name, fault) in enumerate(FAULTS.items()):
        if options.only and not any(words in name for words in options.only):
            continue
        row = one(place, name, fault)
        faults.append(row)
        cells = ["–" if row[column] is None else str(row[column]) for column in columns]
        print(f"{name:38}" + "".join(f"{cell:>16}" for cell in cells), flush=True)
        if row["recovery_s"] is None and not row["failures"]:
            print("    nothing of what it harmed was left to end when it was over", flush=True)
        for failure in row["failures"]:
            print(f"    FAILED: {failure}", flush=True)
finally:
    servers("clean")
    grid_process.stdin.close()
    grid_process.wait(timeout=30)
options.output.parent.mkdir(parents=True, exist_ok=True)
options.output.write_text(json.dumps({"faults": faults, "cuts_left_out_for_lack_of": no_cuts}, indent=2) + "\n")
wrong = [fault["name"] for fault in faults if fault["failures"]]
print(f"{len(faults)} faults, {len(wrong)} of them failed{''.join(f'; {name}' for name in wrong)}; written to {options.output}")
if not faults:
    print("no fault has such a name")
sys.exit(bool(wrong) or not faults)
