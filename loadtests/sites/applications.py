"""The applications: how each is prepared through its own means and served. What they have in common stands in `served.py`."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

# Other measurements load this file from their own folders, and take from it what stands in `served.py`, too.
sys.path.append(str(Path(__file__).resolve().parent))

from desk import Helpdesk
from printer import OctoPrint
from served import PASSWORD, Application, Server, free_port, made_once, request


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


APPLICATIONS = {application.name: application for application in [IHateMoney, Roundup, Helpdesk, OctoPrint]}
