"""Refreshes the report of the lines that ran: the server writes down what it counted, then coverage.py analyses it.

    lines.py PROCESS FOLDER

PROCESS is the server's number, FOLDER where `applications.py` started it; the report is FOLDER/lines.json. It is what
`rutter explore --coverage-command` runs, so that it must not take much of a machine that explores: a file is analysed again only
when more of it has run. The report has the layout and the numbers of `coverage json`.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

import coverage

# How long the server may take to write, the first time and later: who ran nothing new writes nothing.
FIRST_S, LATER_S = 20, 1


def write(file, content):
    part = file.with_suffix(".part")
    part.write_text(json.dumps(content))
    part.rename(file)


def let_it_write(process, data):
    """Lets the server write down what it counted."""

    def written():
        return data.stat().st_mtime_ns if data.exists() else 0

    before = written()
    os.kill(process, signal.SIGUSR1)
    end = time.monotonic() + (LATER_S if before else FIRST_S)
    while written() == before and time.monotonic() < end:
        time.sleep(0.02)
    if not written():
        sys.exit(f"process {process} wrote no {data} within {FIRST_S} s; see {data.parent / 'server.log'}")
    while time.time_ns() - written() < 100_000_000:
        time.sleep(0.02)


def analyse(folder):
    """For each file what ran and what did not; what is known from the last time stands in known.json."""
    known_file = folder / "known.json"
    known = json.loads(known_file.read_text()) if known_file.exists() else {}
    measured = coverage.Coverage(config_file=str(folder / "coveragerc"))
    measured.load()
    data, files = measured.get_data(), {}
    # The server names the files that nothing of has run a little later than the others.
    for path in sorted(data.measured_files() | known.keys()):
        ran = sorted(data.lines(path) or [])
        if known.get(path, {}).get("ran") != ran:
            _, statements, _, missing, _ = measured.analysis2(path)
            executed = sorted(set(statements) - set(missing))
            known[path] = {"ran": ran, "executed_lines": executed, "missing_lines": missing}
        files[path] = {name: known[path][name] for name in ["executed_lines", "missing_lines"]}
    write(known_file, known)
    return files


def main(process, folder):
    let_it_write(process, folder / "lines.data")
    files = analyse(folder)
    covered = sum(len(file["executed_lines"]) for file in files.values())
    missing = sum(len(file["missing_lines"]) for file in files.values())
    totals = {"covered_lines": covered, "missing_lines": missing, "num_statements": covered + missing}
    write(folder / "lines.json", {"meta": {"version": coverage.__version__}, "files": files, "totals": totals})


main(int(sys.argv[1]), Path(sys.argv[2]))
