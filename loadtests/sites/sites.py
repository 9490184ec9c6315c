"""How much of two real applications exploring reaches: lines that ran on the server, at equal wall time, for every strategy, beside
what starting the server runs by itself and what a plain authenticated crawl runs.

    sites.py RUTTER OUTPUT.json [--seconds 180] [--repeats 3] [--browsers 2] [--sites NAME…] [--strategies NAME…]

Each run has a server of its own on a fresh copy of the same data. A run that has ended leaves OUTPUT's folder/sites/NAME.json,
and is not done again: the command can be interrupted at any time and goes on when it is called again, and who wants to measure
another build removes that folder. In the end it writes
OUTPUT.json and, when that was the whole comparison, at its full length, the page for people (`--page`) with the figures
beside it.
"""

import argparse
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from applications import APPLICATIONS, PASSWORD
from crawl import Crawl
from results import area, page, summary

STRATEGIES = ["frontier", "systematic", "breadth-first", "q-learning", "random"]
FLOOR, CRAWL, CAREFUL = "start-up", "plain crawl", "frontier careful"
KINDS = [FLOOR, CRAWL, CAREFUL, *STRATEGIES]

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("rutter", type=Path)
parser.add_argument("output", type=Path)
parser.add_argument("--seconds", type=int, default=180, help="wall time of each run (default 180)")
parser.add_argument("--repeats", type=int, default=3, help="runs of each kind (default 3)")
parser.add_argument("--browsers", type=int, default=2, help="browsers of an exploration, threads of the crawl (default 2)")
parser.add_argument("--every", type=int, default=5, help="seconds between two looks at coverage (default 5)")
parser.add_argument("--sites", nargs="+", choices=APPLICATIONS, default=list(APPLICATIONS))
parser.add_argument("--strategies", nargs="+", choices=[FLOOR, CRAWL, CAREFUL, *STRATEGIES], default=KINDS)
parser.add_argument("--python", type=Path, required=True, help="the interpreter that has the applications (requirements.txt)")
parser.add_argument("--store", type=Path, required=True, help="where the applications' data is kept")
parser.add_argument("--page", type=Path, help="where the page for people is written")
parser.add_argument("--keep", type=Path, help="keeps servers' folders and run directories there")
options = parser.parse_args()
runs = options.output.parent / "sites"


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


def start_up(application, server, _):
    """Nothing is visited: what runs so far is what starting runs."""
    time.sleep(1)
    return {"curve": [{"at_s": 0.0, **application.look(server)}]}


def plain_crawl(application, server, _):
    curve, over = [{"at_s": 0.0, **application.look(server)}], threading.Event()
    began = time.monotonic()

    def look():
        is_last = False
        while not is_last:
            is_last = over.wait(options.every)
            lines = application.look(server)
            curve.append({"at_s": round(time.monotonic() - began, 1), **lines})

    looking = threading.Thread(target=look)
    looking.start()
    try:
        crawl = Crawl(server.url)
        crawl.log_in(application.login_path, application.login)
        crawl.run(options.seconds, options.browsers)
    finally:
        over.set()
        looking.join()
    return {"curve": curve, "pages": crawl.pages, "links_known": len(crawl.known)}


def exploration(application, server, kind):
    strategy, _, mode = kind.partition(" ")
    run = server.folder / "run"
    command = shlex.join(application.look_command(server))
    words = [
        *[options.rutter.resolve(), "explore", server.url, f"--{mode or 'free'}", "--strategy", strategy, "--login", application.recipe()],
        *["--budget", f"{options.seconds}s", "--workers", options.browsers, "--run-dir", run, "--output", "json"],
        *["--coverage-report", server.folder / "lines.json", "--coverage-command", command],
        *["--coverage-every", f"{options.every}s", "--screenshots", "none"],
    ]
    surroundings = {**os.environ, "SITES_PASSWORD": PASSWORD}
    with open(server.folder / "rutter.log", "wb") as log:
        done = subprocess.run([str(word) for word in words], env=surroundings, stdout=subprocess.PIPE, stderr=log)
    if done.returncode != 0:
        said = (server.folder / "rutter.log").read_text(errors="replace")[-3000:]
        raise SystemExit(f"{application.name}, {kind}: rutter ended with {done.returncode}; it said:\n{said}")
    found = json.loads(done.stdout)
    counts = ["states", "transitions", "actions", "requests", "requests_refused", "requests_out_of_scope"]
    figures = {name: found[name] for name in counts}
    return {"curve": found["coverage"], "faults": len(found["faults"]), "effort": found["effort"], **figures}


def one(site, kind, repeat):
    """One run with a server of its own; its figures."""
    application = APPLICATIONS[site](options.python.absolute(), options.store.absolute())
    parent = options.keep or Path(tempfile.gettempdir())
    parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"rutter-{site}-{kind.replace(' ', '-')}-", dir=parent.resolve()))
    server = application.start(folder / "server")
    try:
        do = {FLOOR: start_up, CRAWL: plain_crawl}.get(kind, exploration)
        measured = do(application, server, kind)
        if server.process.poll() is not None:
            raise SystemExit(f"{site}: the server ended by itself with {server.process.returncode}; see {folder}")
    finally:
        server.stop()
    if not options.keep:
        shutil.rmtree(folder)
    curve = measured["curve"]
    if not curve:
        raise SystemExit(f"{site}, {kind}: no coverage was measured")
    settings = {"seconds": options.seconds, "browsers": options.browsers}
    final = curve[-1]["covered"] / curve[-1]["lines"]
    return {"site": site, "kind": kind, "repeat": repeat, **settings, "final": final, "area": area(curve, options.seconds), **measured}


def result(site, kind, repeat):
    """A run's figures, from the file that it left or by doing it."""
    file = runs / f"{site}-{kind.replace(' ', '-')}-{options.seconds}s-{options.browsers}-{repeat}.json"
    if file.exists():
        return json.loads(file.read_text())
    say(f"{site}: {kind}, {repeat} of {options.repeats}")
    figures = one(site, kind, repeat)
    part = file.with_suffix(".part")
    part.write_text(json.dumps(figures, indent=1) + "\n")
    part.rename(file)
    say(f"  {figures['curve'][-1]['covered']} of {figures['curve'][-1]['lines']} lines, {figures['final']:.1%}; mean {figures['area']:.1%}")
    return figures


# Whoever ends this ends the servers too.
signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
if not options.python.exists():
    raise SystemExit(f"{options.python} is not there; `deploy/local/setup.sh sites` installs the applications into .cache/sites")
runs.mkdir(parents=True, exist_ok=True)
# By repeats first, so that whatever changes on the machine meanwhile falls on all alike.
done = [
    result(site, kind, repeat)
    for repeat in range(1, options.repeats + 1)
    for site in options.sites
    for kind in options.strategies
]
figures = summary(done, {"seconds": options.seconds, "browsers": options.browsers, "repeats": options.repeats, **machine()})
options.output.write_text(json.dumps(figures, indent=1) + "\n")
text = page(figures)
print(text)
is_whole = options.sites == list(APPLICATIONS) and options.strategies == KINDS
if options.page and is_whole and options.seconds >= 180 and options.repeats >= 3:
    options.page.write_text(text)
    shutil.copy(options.output, options.page.with_suffix(".json"))
