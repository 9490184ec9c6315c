"""Crawljax, by the program of `crawljax/`: finds browser and driver, starts it, and takes what it found from its output."""

import json
import os
import shutil
import signal
import subprocess
import urllib.parse
from pathlib import Path

# Where a browser may stand, in the order in which `services/browser/src/install.rs` looks.
BROWSERS = [
    "/usr/lib/chromium/chromium-headless-shell",
    "/usr/lib/chromium-headless-shell/chromium-headless-shell",
    "/opt/chrome-headless-shell/chrome-headless-shell",
    "/usr/lib/chromium/chromium",
    "/opt/google/chrome/chrome",
]
DRIVERS = ["chromedriver", "chromium.chromedriver"]
# What each mode is told beyond the address, the log-in, and what logs out.
MODES = {"defaults": {}, "depth": {"depth": 3, "fill": True, "ignoreValues": True}}
# How long it may take beyond its time until its browsers have ended.
END_S = 60


def programs():
    """A browser and its driver."""
    browser = next((path for path in BROWSERS if Path(path).is_file()), None)
    driver = next(filter(None, map(shutil.which, DRIVERS)), None)
    if not browser or not driver:
        raise SystemExit("no browser or no chromedriver; `deploy/local/setup.sh browser` installs both")
    return {"browser": browser, "driver": driver}


def crawl(built, application, server, mode, seconds, browsers):
    """Crawls a running server; states, edges, events that were fired, and why it ended."""
    settings = {
        **{"url": server.url, "login": urllib.parse.urljoin(server.url, application.login_path), "fields": application.login},
        **{"seconds": seconds, "browsers": browsers, **programs(), **MODES[mode]},
    }
    folder = server.folder / "crawljax"
    folder.mkdir()
    command = ["java", "-cp", f"{built}/target/crawljax.jar:{built}/target/lib/*", "rutter.crawljax.Main"]
    surroundings = {**os.environ, "CRAWLJAX": json.dumps(settings)}
    with open(folder / "log", "wb") as log:
        # A group of its own, so that nobody's Ctrl-C ends it before its browsers.
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": log}
        process = subprocess.Popen(command, cwd=folder, env=surroundings, start_new_session=True, **pipes)
        try:
            found, _ = process.communicate(timeout=seconds + END_S)
        finally:
            end(process)
    if process.returncode != 0:
        said = (folder / "log").read_text(errors="replace")[:3000]
        raise SystemExit(f"{application.name}, crawljax {mode}: it ended with {process.returncode}; it said:\n{said}")
    return json.loads(found)


def end(process):
    """Ends it with its browsers, where it has not ended."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
