"""The two applications: how each is prepared through its own means, and started from a fresh copy of its data with coverage.py
around the whole server. `sites.py` is the command."""

import base64
import json
import os
import re
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


def request(url, fields=None, authority=None):
    """The status and text of an answer; fields are sent as a form."""
    body = urllib.parse.urlencode(fields).encode() if fields else None
    asked = urllib.request.Request(url, data=body)
    if authority:
        asked.add_header("Authorization", "Basic " + base64.b64encode(authority.encode()).decode())
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(asked, timeout=30) as answer:
        return answer.status, answer.read().decode()


class Server:
    """A running server, known by its process; `url` is where who works with it begins."""

    def __init__(self, command, folder, port, environment, path):
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
                return
            except OSError:
                time.sleep(0.1)
        said = (self.folder / "server.log").read_text(errors="replace")[-2000:]
        raise SystemExit(f"{self.folder}: the server does not answer at {self.url}; it said:\n{said}")

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
    """What both have in common."""

    name = ""
    # The package whose lines count, and what of it does not run for anybody.
    package, omit = "", []
    # The fields by which one logs in, for whoever does it without a browser, and where their form is.
    login, login_path = {}, "/"

    def __init__(self, python, store):
        self.python, self.store = Path(python), store / self.name

    def recipe(self):
        return HERE / f"{self.name}.yaml"

    def start(self, folder):
        """Starts it measured, on a fresh copy of its data in `folder`, which must not exist."""
        self.prepare()
        shutil.copytree(self.store, folder)
        return self.measured(folder)

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


class IHateMoney(Application):
    """A budget that a few people share: one project with three members and five bills."""

    name, package, omit = "ihatemoney", "ihatemoney", ["*/ihatemoney/tests/*"]
    login, login_path = {"id": "flat", "password": PASSWORD}, "/authenticate"

    def serve(self, folder, launcher, port):
        settings = {
            "SQLALCHEMY_DATABASE_URI": f"sqlite:///{folder}/budget.sqlite",
            "SECRET_KEY": "not secret: nobody but these tests comes here",
            "SESSION_COOKIE_SECURE": False,
            "ACTIVATE_DEMO_PROJECT": False,
            "MAIL_SUPPRESS_SEND": True,
        }
        (folder / "settings.cfg").write_text("".join(f"{name} = {value!r}\n" for name, value in settings.items()))
        words = ["flask", "--app", "ihatemoney.wsgi:application", "run", "--host", "127.0.0.1", "--port", port]
        return Server([*launcher, *words], folder, port, {"IHATEMONEY_SETTINGS_FILE_PATH": f"{folder}/settings.cfg"}, "/flat/")

    def fill(self, folder):
        server = self.serve(folder, [self.python, "-m"], free_port())
        try:
            projects = f"http://127.0.0.1:{server.port}/api/projects"
            project = {"name": "Flat", "id": "flat", "password": PASSWORD, "contact_email": "ada@flat.example", "default_currency": "XXX"}
            request(projects, project)
            who = f"flat:{PASSWORD}"
            members = [request(f"{projects}/flat/members", {"name": name}, who)[1] for name in ["Ada", "Ben", "Cleo"]]
            members = [json.loads(member) for member in members]
            for number, what in enumerate(["Rent", "Bread", "Coffee", "Tram tickets", "Light bulbs"]):
                fields = [("date", f"2026-01-{number + 10}"), ("what", what), ("payer", members[number % 3]), ("amount", 12 + number)]
                fields += [("payed_for", member) for member in members] + [("bill_type", "Expense"), ("original_currency", "XXX")]
                request(f"{projects}/flat/bills", fields, who)
        finally:
            server.stop()


class Roundup(Application):
    """An issue tracker of the classic template: three issues, two keywords, one user beside the administrator."""

    name, package, omit = "roundup", "roundup", ["*/roundup/test/*"]
    login, login_path = {"__login_name": "admin", "__login_password": PASSWORD}, "/tracker/"

    def serve(self, folder, launcher, port):
        home = folder / "home"
        settings = (home / "config.ini").read_text()
        # Its forms are only taken from its own address.
        settings = re.sub(r"(?m)^web = .*$", f"web = http://127.0.0.1:{port}/tracker/", settings)
        settings = re.sub(r"(?m)^debug = *$", f"debug = {folder}/mails", settings, count=1)
        (home / "config.ini").write_text(settings)
        # It wants to be told who it runs as where that is root.
        who = ["-u", os.getuid()]
        words = ["roundup.scripts.roundup_server", *who, "-t", "thread", "-n", "127.0.0.1", "-p", port, f"tracker={home}"]
        return Server([*launcher, *words], folder, port, {}, "/tracker/")

    def fill(self, folder):
        home = folder / "home"

        def admin(*words):
            subprocess.run([self.python.parent / "roundup-admin", "-i", home, *words], check=True, stdout=subprocess.DEVNULL)

        admin("install", "classic", "sqlite", "mail_domain=tracker.example,mail_host=localhost,tracker_web=http://127.0.0.1/tracker/")
        admin("initialise", PASSWORD)
        admin("create", "user", "username=ada", f"password={PASSWORD}", "address=ada@tracker.example", "roles=User")
        for keyword in ["printing", "network"]:
            admin("create", "keyword", f"name={keyword}")
        for title, priority in [("The printer is on fire", "critical"), ("Slow network", "bug"), ("A darker theme", "wish")]:
            admin("create", "issue", f"title={title}", f"priority={priority}")


APPLICATIONS = {application.name: application for application in [IHateMoney, Roundup]}
