"""Whether what an exploration found can be found again: ways to its states, and its faults, replayed on the data that it began with.

    reachable.py RUTTER OUTPUT.json [--seconds 300] [--states 60] [--sites NAME…]

Each application is explored on a fresh copy of its data. Of its states some are drawn at random, always by the same seed; for each the way
from the start is asked for (`rutter graph path`) and replayed (`rutter replay`), and so is the test of each fault. Before each replay the
application is started anew on a fresh copy, at the same address. A fault whose test does not fail there has to name the step of the
exploration's own that it depends on (`depends_on`). Ends with 1 where fewer states are reached, or more faults are left unexplained,
than is wanted.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from applications import APPLICATIONS, PASSWORD
from served import free_port
from ways import test

SEED = 1
# Of the states that were drawn, so many have to be reached again.
WANTED = 0.95

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("rutter", type=Path)
parser.add_argument("output", type=Path)
parser.add_argument("--seconds", type=int, default=300, help="how long each application is explored (default 300)")
parser.add_argument("--states", type=int, default=60, help="how many states are drawn (default 60)")
parser.add_argument("--browsers", type=int, default=2, help="browsers of the exploration (default 2)")
parser.add_argument("--sites", nargs="+", choices=APPLICATIONS, default=["ihatemoney", "roundup"])
parser.add_argument("--python", type=Path, required=True, help="the interpreter that has the applications (requirements.txt)")
parser.add_argument("--store", type=Path, required=True, help="where the applications' data is kept")
parser.add_argument("--keep", type=Path, help="keeps what was explored and replayed there")
options = parser.parse_args()
rutter = options.rutter.resolve()


def say(text):
    print(text, file=sys.stderr, flush=True)


def ask(*words, log):
    """What Rutter prints, and its exit code."""
    surroundings = {**os.environ, "SITES_PASSWORD": PASSWORD}
    with open(log, "ab") as file:
        done = subprocess.run([str(word) for word in [rutter, *words, "--output", "json"]], env=surroundings, stdout=subprocess.PIPE, stderr=file)
    return done.returncode, done.stdout


class Site:
    """An application that is explored and replayed on, at one address."""

    def __init__(self, name, folder):
        self.application = APPLICATIONS[name](options.python.absolute(), options.store.absolute())
        self.folder, self.port = folder, free_port()
        self.run, self.log = folder / "run", folder / "rutter.log"

    @contextmanager
    def fresh(self):
        """A server on a fresh copy of the data."""
        copy = self.folder / "server"
        shutil.rmtree(copy, ignore_errors=True)
        server = self.application.start_unmeasured(copy, self.port)
        try:
            yield server
        finally:
            server.stop()

    def explore(self):
        with self.fresh() as server:
            code, _ = ask(
                *["explore", server.url, "--free", "--strategy", "frontier", "--login", self.application.recipe()],
                *["--budget", f"{options.seconds}s", "--workers", options.browsers, "--run-dir", self.run, "--screenshots", "none"],
                *self.application.exploring,
                log=self.log,
            )
        if code != 0:
            raise SystemExit(f"{self.application.name}: rutter explore ended with {code}; see {self.log}")

    def read(self, name):
        return json.loads((self.run / name).read_text())

    def path(self, state):
        """The way to a state; none where none is known."""
        code, printed = ask("graph", "path", "start", state, "--run", self.run, log=self.log)
        return json.loads(printed)["path"] if code == 0 else None

    def replay(self, file):
        """The verdict of a test on fresh data, and the reason."""
        run = self.folder / "replays" / file.stem
        with self.fresh():
            words = [file, "--run-dir", run, "--trust", "--screenshots", "none"]
            _, printed = ask("replay", *words, log=self.log)
        outcomes = json.loads(printed)["outcomes"] if printed else []
        if len(outcomes) != 1:
            raise SystemExit(f"{file}: the replay has no outcome; see {self.log}")
        return outcomes[0]["verdict"], outcomes[0]["reason"]

    def states(self):
        """What was drawn, and for each state that was not reached the reason."""
        states, run = self.read("map.json")["states"], self.read("run.json")
        visits = [json.loads(line) for line in (self.run / "visits.jsonl").read_text().splitlines()]
        drawn = sorted(random.Random(SEED).sample(states, min(options.states, len(states))), key=lambda state: state["id"])
        ways, misses = self.folder / "ways", []
        ways.mkdir()
        for state in drawn:
            path = self.path(state["id"])
            if path is None:
                misses.append({"state": state["id"], "url": state["url"], "reason": "no way is known"})
                continue
            file = ways / f"state-{state['id']}.json"
            file.write_text(json.dumps(test(file.stem, state, path, states, visits, run), indent=1) + "\n")
            verdict, reason = self.replay(file)
            if verdict != "PASSED":
                way = [f"open {path['address']}"] if path["address"] else []
                way += [step["words"] for step in path["steps"]]
                misses.append({"state": state["id"], "url": state["url"], "way": way, "reason": f"{verdict}: {reason}"})
        return len(states), len(drawn), misses

    def faults(self):
        """How many faults there are, how many show again, how many of the others say what they depend on, and the rest."""
        found, failed, told, misses = self.read("results.json")["faults"], 0, 0, []
        for fault in found:
            verdict, reason = self.replay(self.run / fault["test"])
            if verdict == "FAILED":
                failed += 1
            elif fault.get("depends_on"):
                told += 1
            else:
                misses.append({"fault": fault["test"], "way": fault["path"], "reason": f"{verdict}: {reason}"})
        return len(found), failed, told, misses


def measured(name):
    parent = options.keep or Path(tempfile.gettempdir())
    parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"rutter-reachable-{name}-", dir=parent.resolve()))
    site = Site(name, folder)
    say(f"{name}: explored for {options.seconds} s")
    site.explore()
    say(f"{name}: ways to its states")
    states, drawn, missed = site.states()
    say(f"{name}: its faults")
    faults, failed, told, unexplained = site.faults()
    if not options.keep:
        shutil.rmtree(folder)
    reachable = drawn - len(missed)
    return {
        **{"name": name, "states": states, "drawn": drawn, "reachable": reachable, "reachable_ratio": reachable / drawn},
        **{"faults": faults, "replayed_failed": failed, "depends_told": told, "misses": missed + unexplained},
    }


def holds(site):
    return site["reachable_ratio"] >= WANTED and site["replayed_failed"] + site["depends_told"] == site["faults"]


def table(sites):
    rows = ["| | states | drawn | reached again | faults | show again | say what they depend on |", "|---|---|---|---|---|---|---|"]
    for site in sites:
        reached = f"{site['reachable']} ({site['reachable_ratio']:.0%})"
        cells = [site["name"], site["states"], site["drawn"], reached, site["faults"], site["replayed_failed"], site["depends_told"]]
        rows.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(rows)


# Whoever ends this ends the servers too.
signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
if not options.python.exists():
    raise SystemExit(f"{options.python} is not there; `deploy/local/setup.sh sites` installs the applications into .cache/sites")
sites = [measured(name) for name in options.sites]
figures = {"seconds": options.seconds, "browsers": options.browsers, "seed": SEED, "wanted": WANTED, "sites": sites}
options.output.parent.mkdir(parents=True, exist_ok=True)
options.output.write_text(json.dumps(figures, indent=1) + "\n")
print(table(sites))
for site in sites:
    for miss in site["misses"]:
        what = f"state {miss['state']}" if "state" in miss else miss["fault"]
        print(f"{site['name']}, {what}: {miss['reason']}")
sys.exit(0 if all(map(holds, sites)) else 1)
