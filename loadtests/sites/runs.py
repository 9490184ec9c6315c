"""One run of each kind on a running server: what it found, and the lines that ran over time. Seconds count from when whoever explores
is started, so that starting browsers and logging in are among them."""

import json
import os
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

import crawljaxed
from applications import PASSWORD
from crawl import Crawl
from looks import looks


class Means(NamedTuple):
    """What all runs are done with."""

    rutter: Path
    crawljax: Path
    browsers: int
    # Seconds between two looks at coverage.
    every: int


def start_up(application, server):
    """Nothing is visited: what runs so far is what starting runs."""
    time.sleep(1)
    return {"curve": [{"at_s": 0.0, **application.look(server)}]}


def plain_crawl(means, application, server, seconds):
    with looks(application, server, means.every) as curve:
        began = time.monotonic()
        crawl = Crawl(server.url)
        application.let_in(crawl)
        crawl.run(seconds, means.browsers)
        took = time.monotonic() - began
    return {"curve": curve, "took_s": round(took, 1), "pages": crawl.pages, "links_known": len(crawl.known)}


def crawljax(means, application, server, mode, seconds):
    with looks(application, server, means.every) as curve:
        began = time.monotonic()
        found = crawljaxed.crawl(means.crawljax, application, server, mode, seconds, means.browsers)
        took = time.monotonic() - began
    return {"curve": curve, "took_s": round(took, 1), **found}


def exploration(means, application, server, kind, seconds):
    words = [
        *[means.rutter.resolve(), "explore", server.url, f"--{kind.mode}", "--strategy", kind.strategy, "--login", application.recipe()],
        *["--budget", f"{seconds}s", "--workers", means.browsers, "--run-dir", server.folder / "run", "--output", "json"],
        *["--screenshots", "none", *application.exploring],
    ]
    surroundings = {**os.environ, "SITES_PASSWORD": PASSWORD}
    with looks(application, server, means.every) as curve, open(server.folder / "rutter.log", "wb") as log:
        began = time.monotonic()
        done = subprocess.run([str(word) for word in words], env=surroundings, stdout=subprocess.PIPE, stderr=log)
        took = time.monotonic() - began
    if done.returncode != 0:
        said = (server.folder / "rutter.log").read_text(errors="replace")[-3000:]
        raise SystemExit(f"{application.name}, {kind.strategy} {kind.mode}: rutter ended with {done.returncode}; it said:\n{said}")
    found = json.loads(done.stdout)
    counts = ["states", "transitions", "actions", "requests", "requests_refused", "requests_out_of_scope"]
    figures = {name: found[name] for name in counts}
    return {"curve": curve, "took_s": round(took, 1), "faults": len(found["faults"]), "effort": found["effort"], **figures}


def run(means, application, server, kind, seconds):
    """One run of that kind."""
    if kind.strategy == "start-up":
        return start_up(application, server)
    if kind.strategy == "plain crawl":
        return plain_crawl(means, application, server, seconds)
    if kind.strategy == "crawljax":
        return crawljax(means, application, server, kind.mode, seconds)
    return exploration(means, application, server, kind, seconds)
