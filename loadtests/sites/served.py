"""What all applications have in common: each is prepared once, and started from a fresh copy of its data, with coverage.py around the
whole server or without."""

import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Whoever is let in on this machine by these tests. It guards nothing.
PASSWORD = "correct-horse-7"
# How long a server may take to answer first, and to end.
START_S, END_S = 60, 20


def free_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def opener(*handlers):
    """Opens addresses of this machine, whatever proxy is set."""
    return urllib.request.build_opener(urllib.request.ProxyHandler({}), *handlers)


def request(url, fields=None, authority=None):
    """The status and text of an answer; fields are sent as a form."""
    body = urllib.parse.urlencode(fields).encode() if fields else None
    asked = urllib.request.Request(url, data=body)
    if authority:
        asked.add_header("Authorization", "Basic " + base64.b64encode(authority.encode()).decode())
    with opener().open(asked, timeout=30) as answer:
        return answer.status, answer.read().decode()


class Server:
    """A running server, known by its process; `url` is where who works with it begins. Where something else answers while it starts,
    `ready` is what it writes once it answers itself."""

    def __init__(self, command, folder, port, environment, path, ready=""):
        self.ready = ready
        self.port, self.url = port, f"http://127.0.0.1:{port}{path}"
        self.folder = folder
        # Nothing outside this machine is asked, whatever the application would like to know.
        closed = {name: "http://127.0.0.1:9" for name in ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"]}
        surroundings = {**os.environ, **closed, "no_proxy": "127.0.0.1", "PYTHONDONTWRITEBYTECODE": "1", **environment}
        self.log = open(folder / "server.log", "wb")
        self.process = subprocess.Popen(
            [str(word) for word in command], cwd=folder, env=surroundings, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log
        )
        try:
            self.wait()
        except BaseException:
            self.stop()
            raise

    def wait(self):
        end = time.monotonic() + START_S
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            # A connection, no request: nobody has visited it yet.
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                if self.ready in self.said():
                    return
            except OSError:
                pass
            time.sleep(0.1)
        raise SystemExit(f"{self.folder}: the server does not answer at {self.url}; it said:\n{self.said()[-2000:]}")

    def said(self):
        return (self.folder / "server.log").read_text(errors="replace")

    def stop(self):
        """Ends it, and kills it when it does not."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(END_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()


def made_once(store, title, make):
    """Makes a folder of data that is not there yet; one that is not finished is begun anew."""
    if store.exists():
        return
    part = store.with_suffix(".unfinished")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    print(f"{title}: preparing its data", file=sys.stderr, flush=True)
    make(part)
    part.rename(store)


class Application:
    """What all have in common. Its own docstring says in a sentence or two what the application is."""

    name = ""
    # The package whose lines count, and what of it does not run for anybody.
    package, omit = "", []
    # What is typed into which field of the log-in form, by name or id, and where that form is.
    login, login_path = {}, "/"
    # What whoever explores it is told beside.
    exploring = []
    # Its environment, which stands beside that of the given interpreter; none where it is the same.
    environment = None

    def __init__(self, python, store):
        python = Path(python)
        self.python = python.parents[2] / self.environment / "bin" / "python" if self.environment else python
        self.store = store / self.name

    def recipe(self):
        return HERE / f"{self.name}.yaml"

    def let_in(self, crawl):
        """Logs in a `crawl.Crawl`, by sending the form."""
        crawl.log_in(self.login_path, self.login)

    def start(self, folder):
        """Starts it measured, on a fresh copy of its data in `folder`, which must not exist."""
        self.copy(folder)
        return self.measured(folder)

    def start_unmeasured(self, folder, port):
        """Starts it as anybody would, on a fresh copy of its data in `folder`, which must not exist."""
        self.copy(folder)
        return self.serve(folder, [self.python, "-m"], port)

    def copy(self, folder):
        self.prepare()
        shutil.copytree(self.store, folder)

    def measured(self, folder):
        """Starts it with coverage.py around it."""
        omit = "".join(f"\n    {pattern}" for pattern in self.omit)
        settings = f"[run]\nsource_pkgs = {self.package}\nconcurrency = thread\ndata_file = {folder}/lines.data\nomit ={omit}\n"
        (folder / "coveragerc").write_text(settings)
        launcher = [self.python, "-m", "coverage", "run", f"--rcfile={folder}/coveragerc", "--save-signal=USR1", "-m"]
        return self.serve(folder, launcher, free_port())

    def look(self, server):
        """Refreshes the report in the server's folder; the lines that can run and those that ran."""
        subprocess.run(self.look_command(server), check=True)
        totals = json.loads((server.folder / "lines.json").read_text())["totals"]
        return {"lines": totals["num_statements"], "covered": totals["covered_lines"]}

    def look_command(self, server):
        # Whoever explores goes first.
        return ["nice", str(self.python), str(HERE / "lines.py"), str(server.process.pid), str(server.folder)]

    def prepare(self):
        """Makes the data that every run begins with, once."""
        made_once(self.store, self.name, self.fill_and_measure)

    def fill_and_measure(self, folder):
        self.fill(folder)
        # What is known of each file's lines, so that no run has to find that out.
        scratch = folder.with_suffix(".scratch")
        shutil.rmtree(scratch, ignore_errors=True)
        shutil.copytree(folder, scratch)
        server = self.measured(scratch)
        try:
            self.look(server)
        finally:
            server.stop()
        shutil.copy(scratch / "known.json", folder)
        shutil.rmtree(scratch)
