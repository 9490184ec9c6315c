"""A cluster of real servers and processes for scripts that do something to it: started in a directory that must not exist, and
removed with it in the end."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SERVERS = ["kafka", "redis", "postgres", "grid"]


class Cluster:
    """Servers and roles in a directory. `programs` are those that roles and commands can be, by name."""

    def __init__(self, directory, programs, patience_s):
        self.directory, self.programs, self.patience_s, self.failures = directory, programs, patience_s, []
        if directory.exists():
            raise SystemExit(f"{directory} exists: name a directory that does not")

    def __enter__(self):
        for name in SERVERS:
            self.servers("up", name)
        return self

    def __exit__(self, *_):
        subprocess.run([HERE / "servers.sh", "clean", "--dir", self.directory], check=False, stdout=subprocess.DEVNULL)

    def servers(self, command, name, program=None):
        """What `servers.sh` does to a server or a role, which is one of the programs."""
        environment = {**os.environ, "RUTTER": self.program(program), "RUTTER_LOG": "warn"}
        arguments = [HERE / "servers.sh", command, "--dir", self.directory, name]
        subprocess.run(arguments, check=True, env=environment, stdout=subprocess.DEVNULL)

    def program(self, name):
        return self.programs[name] if name else next(iter(self.programs.values()))

    def rutter(self, *arguments, program=None, may_end=(0, 1)):
        """A command: its exit code, what it printed, and what it said."""
        command = [self.program(program), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in may_end:
            raise SystemExit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
        return done.returncode, done.stdout, done.stderr

    def asks(self, *arguments, program=None, may_end=(0, 1)):
        """A command about the cluster, as JSON."""
        settings = ["--config", self.directory / "rutter.toml", "--output", "json"]
        return self.rutter(*arguments, *settings, program=program, may_end=may_end)

    def status(self, campaign, program=None):
        """How a campaign stands, asked again while the queue is away."""
        deadline = time.monotonic() + self.patience_s
        while True:
            code, printed, said = self.asks("status", campaign, program=program, may_end=range(256))
            if code == 0 and printed.strip():
                return json.loads(printed)
            if time.monotonic() > deadline:
                raise SystemExit(f"the queue does not say how {campaign} stands: {said}")
            time.sleep(0.2)

    def ended(self, campaign, program=None):
        """How many jobs have ended, of how many."""
        counts = self.status(campaign, program)["tally"]
        return counts["judged"] + counts["quarantined"] + counts["cancelled"], counts["jobs"]

    def until(self, what, is_so, pause_s=0.5):
        deadline = time.monotonic() + self.patience_s
        while not is_so():
            if time.monotonic() > deadline:
                raise SystemExit(f"waited for {self.patience_s} s: {what}")
            time.sleep(pause_s)

    def results(self, campaign, program=None):
        """The verdicts by job, once all have ended. That all that counts agrees is one of the things that must hold."""
        self.until("the campaign ends", lambda: len(set(self.ended(campaign, program))) == 1)
        # A ledger that was killed hears of the last outcomes later than the queue.
        told = {"pending": 1}

        def is_heard():
            printed = self.asks("results", campaign, program=program, may_end=range(256))[1]
            told.update(json.loads(printed) if printed.strip() else {})
            return told["pending"] == 0 and "outcomes" in told

        self.until("the ledger hears of every outcome", is_heard)
        counts, outcomes = self.status(campaign, program)["tally"], told["outcomes"]
        verdicts = {outcome["job"]: outcome["verdict"] for outcome in outcomes}
        counted = sum(sum(count["verdicts"].values()) for _, count in told["totals"]["cells"])
        is_exact = counts["jobs"] == counts["judged"] == len(outcomes) == len(verdicts) == counted
        self.holds(f"{campaign}: {counts}, {len(outcomes)} outcomes, the ledger counts {counted}", is_exact)
        return verdicts

    def holds(self, what, is_so):
        print(("holds: " if is_so else "FAILS: ") + what, file=sys.stderr, flush=True)
        if not is_so:
            self.failures.append(what)
