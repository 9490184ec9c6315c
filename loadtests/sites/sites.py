"""How much of real applications exploring reaches: lines that ran on the server, at equal wall time, for `rutter explore` with each of its
strategies, a plain authenticated crawl and Crawljax, beside what starting the server runs by itself.

    sites.py RUTTER OUTPUT.json [--seconds 600] [--short-seconds 300] [--browsers 2] [--sites NAME…] [--kinds NAME…]

Each run has a server of its own on a fresh copy of the same data. A run that has ended leaves OUTPUT's folder/sites/NAME.json,
and is not done again: the command can be interrupted at any time and goes on when it is called again, and who wants to measure
another build removes that folder. In the end it writes OUTPUT.json and, when that was the whole comparison, at its full length, the
page for people (`--page`) with the figures beside it.
"""

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from applications import APPLICATIONS
from kinds import KINDS
from page import page
from results import claims, of_site
from runs import Means, run

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("rutter", type=Path)
parser.add_argument("output", type=Path)
parser.add_argument("--seconds", type=int, default=600, help="wall time of each run (default 600)")
parser.add_argument("--short-seconds", type=int, default=300, help="that of the other strategies (default 300)")
parser.add_argument("--browsers", type=int, default=2, help="browsers of whoever explores, threads of the crawl (default 2)")
parser.add_argument("--every", type=int, default=5, help="seconds between two looks at coverage (default 5)")
parser.add_argument("--sites", nargs="+", choices=APPLICATIONS, default=list(APPLICATIONS))
parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
parser.add_argument("--python", type=Path, required=True, help="the interpreter that has the applications (requirements.txt)")
parser.add_argument("--crawljax", type=Path, required=True, help="where `deploy/local/setup.sh crawljax` built it")
parser.add_argument("--store", type=Path, required=True, help="where the applications' data is kept")
parser.add_argument("--page", type=Path, help="where the page for people is written")
parser.add_argument("--keep", type=Path, help="keeps servers' folders and run directories there")
options = parser.parse_args()
runs = options.output.parent / "sites"
means = Means(options.rutter, options.crawljax.absolute(), options.browsers, options.every)


def say(text):
    print(text, file=sys.stderr, flush=True)


def machine():
    """What the runs were done on, and when."""
    described = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    names = [line.partition(":")[2].strip() for line in described.splitlines() if line.startswith("model name")]
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "date": time.strftime("%Y-%m-%d"),
        "cores": os.cpu_count(),
        "processor": next(iter(names), "unknown"),
        "memory_gib": round(memory / 2**30),
    }


def one(site, name, seconds):
    """One run with a server of its own; its figures."""
    application, kind = APPLICATIONS[site](options.python.absolute(), options.store.absolute()), KINDS[name]
    parent = options.keep or Path(tempfile.gettempdir())
    parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"rutter-{site}-{name}-", dir=parent.resolve()))
    server = application.start(folder / "server")
    try:
        measured = run(means, application, server, kind, seconds)
        if server.process.poll() is not None:
            raise SystemExit(f"{site}: the server ended by itself with {server.process.returncode}; see {folder}")
    finally:
        server.stop()
    if not options.keep:
        shutil.rmtree(folder)
    return {"site": site, "strategy": kind.strategy, "mode": kind.mode, "seconds": seconds, "browsers": options.browsers, **measured}


def result(site, name, seconds):
    """A run's figures, from the file that it left or by doing it."""
    file = runs / f"{site}-{name}-{seconds}s-{options.browsers}.json"
    if file.exists():
        return json.loads(file.read_text())
    say(f"{site}: {name}, {seconds} s")
    figures = one(site, name, seconds)
    part = file.with_suffix(".part")
    part.write_text(json.dumps(figures, indent=1) + "\n")
    part.rename(file)
    last = figures["curve"][-1]
    say(f"  {last['covered']} of {last['lines']} lines")
    return figures


def measured(site):
    """The figures of an application, from all of its runs that are asked for; `None` where there is none."""
    planned = [(name, KINDS[name].seconds(site, options.seconds, options.short_seconds)) for name in options.kinds]
    done = [result(site, name, seconds) for name, seconds in planned if seconds is not None]
    return of_site(site, " ".join(APPLICATIONS[site].__doc__.split()), done) if done else None


# Whoever ends this ends the servers and browsers too.
signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
if not options.python.exists():
    raise SystemExit(f"{options.python} is not there; `deploy/local/setup.sh sites` installs the applications into .cache/sites")
runs.mkdir(parents=True, exist_ok=True)
sites = list(filter(None, map(measured, options.sites)))
settings = {name: getattr(options, name) for name in ["seconds", "short_seconds", "browsers", "every"]}
figures = {**settings, **machine(), "claims": claims(sites), "sites": sites}
options.output.write_text(json.dumps(figures, indent=1) + "\n")
text = page(figures)
print(text)
is_whole = options.sites == list(APPLICATIONS) and options.kinds == list(KINDS)
if options.page and is_whole and options.seconds >= 600 and options.short_seconds >= 300:
    options.page.write_text(text)
    shutil.copy(options.output, options.page.with_suffix(".json"))
