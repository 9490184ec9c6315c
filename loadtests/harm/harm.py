"""Does exploring harm what was there before? Explores a site of destructive controls that counts, and two real applications whose
databases are compared, with `--careful` and with `--free`.

    harm.py RUTTER MEASURE_HARM OUTPUT.json [--seconds 300] [--repeats 3] [--applications NAME…] [--site-budget 6m]

What has ended leaves a file in OUTPUT's folder/harm/, named after the builds that it was measured with, and is not done again: the
command goes on where it was interrupted. Ends with 1 when a bar is missed.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from applications import APPLICATIONS, PASSWORD
from figures import application as summary
from figures import misses, page
from measured import digest, kept_or_made, machine, say
from rows import compare, rows

MODES = {"careful": ["--careful"], "free": ["--free"]}
HERE = Path(__file__).resolve().parent

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("rutter", type=Path)
parser.add_argument("measure_harm", type=Path)
parser.add_argument("output", type=Path)
parser.add_argument("--seconds", type=int, default=300, help="wall time of each run of an application (default 300)")
parser.add_argument("--repeats", type=int, default=3, help="runs of each mode (default 3)")
parser.add_argument("--browsers", type=int, default=2, help="browsers of an exploration (default 2)")
parser.add_argument("--applications", nargs="*", choices=APPLICATIONS, default=list(APPLICATIONS))
parser.add_argument("--site-budget", default="6m", help="how long each set of counted pages is explored; 0 leaves them out (default 6m)")
parser.add_argument("--python", action="append", required=True, metavar="NAME=PATH", help="the interpreter that has an application")
parser.add_argument("--store", type=Path, required=True, help="where the applications' data is kept")
parser.add_argument("--page", type=Path, help="where the page for people is written, after a whole measurement")
parser.add_argument("--keep", type=Path, help="keeps servers' folders and run directories there")
options = parser.parse_args()
parts = options.output.parent / "harm"
pythons = dict(pair.split("=", 1) for pair in options.python)


def counted_site():
    """The site that counts, explored by the program that has it."""
    output = parts / "site.unfinished"
    words = [options.measure_harm, "--rutter", options.rutter, "--budget", options.site_budget, "--workers", options.browsers, "--output", output]
    done = subprocess.run([str(word) for word in words])
    if not output.exists():
        raise SystemExit(f"{options.measure_harm} ended with {done.returncode} and wrote no figures")
    figures = json.loads(output.read_text())
    output.unlink()
    return figures


def ran(application, server):
    """The lines that ran since the server started, by file."""
    application.look(server)
    files = json.loads((server.folder / "lines.json").read_text())["files"]
    return {path: file["executed_lines"] for path, file in files.items() if file["executed_lines"]}


def explore(application, server, mode, run):
    words = [
        *[options.rutter.resolve(), "explore", server.url, "--login", application.recipe(), *MODES[mode]],
        *["--budget", f"{options.seconds}s", "--workers", options.browsers, "--run-dir", run, "--output", "json", "--screenshots", "none"],
    ]
    surroundings = {**os.environ, "SITES_PASSWORD": PASSWORD}
    with open(run.with_suffix(".log"), "wb") as log:
        done = subprocess.run([str(word) for word in words], env=surroundings, stdout=subprocess.PIPE, stderr=log)
    if done.returncode != 0:
        said = run.with_suffix(".log").read_text(errors="replace")[-3000:]
        raise SystemExit(f"{application.name}, {mode}: rutter ended with {done.returncode}; it said:\n{said}")
    return json.loads(done.stdout)


def one(application, server, mode, folder, repeat):
    """Explores a running server; what ran, and how its database differs from that of before."""
    database = folder / application.database
    before, letters = rows(database, application.kept), application.mails(folder)
    found = explore(application, server, mode, folder.parent / f"run-{repeat}")
    lines = ran(application, server)
    if server.process.poll() is not None:
        raise SystemExit(f"{application.name}: the server ended by itself with {server.process.returncode}; see {folder}")
    difference = compare(before, rows(database, application.kept))
    say(
        f"  {difference['rows_changed']} rows changed, {difference['rows_gone']} gone, {difference['rows_new']} new; {sum(map(len, lines.values()))} lines, "
        f"{len(application.templates(folder))} URL templates, {found['states']} states, {found['actions']} actions"
    )
    return {
        **difference,
        "ran": lines,
        "templates": sorted(application.templates(folder)),
        "mails": application.mails(folder) - letters,
        "states": found["states"],
        "actions": found["actions"],
    }


def started(application, folder, is_fresh):
    if is_fresh:
        shutil.rmtree(folder, ignore_errors=True)
        return application.start(folder)
    for stale in ["lines.data", "lines.json", "routes.txt"]:
        (folder / stale).unlink(missing_ok=True)
    return application.measured(folder)


def in_mode(application, mode):
    """All runs of a mode: careful ones on one copy, one after the other, free ones each on a fresh copy."""
    parent = options.keep or Path(tempfile.gettempdir())
    parent.mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=f"rutter-harm-{application.name}-{mode}-", dir=parent.resolve()))
    done = []
    for repeat in range(1, options.repeats + 1):
        say(f"{application.name}, {mode}: {repeat} of {options.repeats}, {options.seconds} s")
        server = started(application, place / "server", repeat == 1 or mode == "free")
        try:
            done.append(one(application, server, mode, place / "server", repeat))
        finally:
            server.stop()
    if not options.keep:
        shutil.rmtree(place)
    return done


def start_up(application):
    """What starting the application runs, and how many rows it has then."""
    place = Path(tempfile.mkdtemp(prefix=f"rutter-harm-{application.name}-"))
    server = application.start(place / "server")
    try:
        time.sleep(1)
        lines = ran(application, server)
        count = sum(len(of_table) for _, of_table in rows(place / "server" / application.database, application.kept).values())
    finally:
        server.stop()
    shutil.rmtree(place)
    return {"lines": lines, "rows": count}


def of_application(name, build):
    if name not in pythons or not Path(pythons[name]).exists():
        raise SystemExit(f"--python {name}=…: there is none; `deploy/local/setup.sh sites harm` installs the applications")
    application = APPLICATIONS[name](Path(pythons[name]).absolute(), options.store.absolute())
    label = f"{name}-{options.seconds}s-{options.browsers}-{options.repeats}-{build}"
    floor = kept_or_made(parts, f"{name}-start-up", lambda: start_up(application))
    careful = kept_or_made(parts, f"{label}-careful", lambda: in_mode(application, "careful"))
    free = kept_or_made(parts, f"{label}-free", lambda: in_mode(application, "free"))
    return summary(name, application.kept.reasons, floor["rows"], floor["lines"], careful, free)


# Whoever ends this ends the servers too.
signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
parts.mkdir(parents=True, exist_ok=True)
build = digest(options.rutter)
nothing = {"shown": None, "without_effect": [], "budget": "0"}
is_counted = options.site_budget not in ("0", "0s")
if is_counted:
    pages = sorted(HERE.parent.parent.glob("services/harness/harm/*/*.*"))
    counted = digest(options.rutter, options.measure_harm, *pages)
    site = kept_or_made(parts, f"site-{options.site_budget}-{options.browsers}-{counted}", counted_site)
else:
    site = nothing
shown = site["shown"] or {}
figures = {
    **{name: shown.get(name, 0) for name in ["controls", "harm", "look_alikes", "pressed"]},
    "applications": [of_application(name, build) for name in options.applications],
    **site,
    "seconds": options.seconds,
    "repeats": options.repeats,
    "browsers": options.browsers,
    **machine(),
}
figures["missed"] = misses(figures)
options.output.write_text(json.dumps(figures, indent=1) + "\n")
is_whole = is_counted and options.applications == list(APPLICATIONS) and options.seconds >= 180 and options.repeats >= 3
if options.page and is_whole:
    options.page.write_text(page(figures, {name: figures[name] for name in ["seconds", "browsers", "date", "cores", "memory_gib"]}))
    shutil.copy(options.output, options.page.with_suffix(".json"))
for one_application in figures["applications"]:
    print(
        f"{one_application['name']}: {one_application['rows_changed']} rows changed, {one_application['rows_gone']} gone; "
        f"lines {one_application['lines_ratio']:.1%}, templates {one_application['templates_ratio']:.1%} of free runs"
    )
print(f"written to {options.output}")
if figures["missed"]:
    raise SystemExit("\n".join(["missed:", *figures["missed"]]))
