"""The two applications whose databases are compared: a CMS and a tracker, each with data of an office that has worked with it.
How they are started and measured stands in `loadtests/sites/applications.py`."""

import importlib.util
import re
import shutil
import subprocess
import urllib.parse
from pathlib import Path

from rows import Kept

HERE = Path(__file__).resolve().parent
found = importlib.util.spec_from_file_location("sites_applications", HERE.parent / "sites" / "applications.py")
sites = importlib.util.module_from_spec(found)
found.loader.exec_module(sites)
PASSWORD = sites.PASSWORD


class Compared(sites.Application):
    """What a comparison needs beside."""

    # Where the database is in the application's folder, and what may differ in it.
    database, kept = "", Kept({})

    def recipe(self):
        return HERE / f"{self.name}.yaml"

    def templates(self, folder):
        """The URL templates that were answered since it was started in this folder."""
        raise NotImplementedError

    def mails(self, folder):
        """How many letters it would have sent to people."""
        raise NotImplementedError


class Wagtail(Compared):
    """A website of ten pages with drafts, pictures, documents, a form with answers, and four people who write it."""

    name, package = "wagtail", "wagtail"
    omit = ["*/wagtail/test/*", "*/wagtail/tests/*", "*/wagtail/*/tests/*", "*/migrations/*", "*/wagtail/bin/*", "*/project_template/*"]
    login, login_path = {"username": "mara", "password": PASSWORD}, "/admin/login/"
    database = "db.sqlite3"
    kept = Kept({
        "django_session": "sessions",
        "wagtailadmin_editingsession": "sessions: who has which page open",
        "sqlite_sequence": "counter: the last number that was given",
        "auth_user.last_login": "log: when somebody last logged in",
        "wagtailcore_page.numchild": "counter: of the pages below",
        "wagtaildocs_document.file_size": "counter: of bytes, worked out when somebody first looks at the document",
        "wagtailcore_collection.numchild": "counter: of the collections below",
        "wagtailsearchpromotions_querydailyhits": "counter: of searches",
        "wagtailsearch_indexentry*": "index: made again from the content, and weighs each entry by the average of all",
    })

    def surroundings(self, folder):
        return {
            "DJANGO_SETTINGS_MODULE": "settings",
            "PYTHONPATH": str(folder / "site"),
            "CMS_DATA": str(folder),
            "CMS_ROUTES": str(folder / "routes.txt"),
        }

    def serve(self, folder, launcher, port):
        words = ["django", "runserver", f"127.0.0.1:{port}", "--noreload"]
        return sites.Server([*launcher, *words], folder, port, self.surroundings(folder), "/admin/")

    def fill(self, folder):
        shutil.copytree(HERE / "cms", folder / "site", ignore=shutil.ignore_patterns("__pycache__"))

        def run(*words):
            environment = {**sites.os.environ, **self.surroundings(folder), "CMS_ROUTES": "", "PYTHONDONTWRITEBYTECODE": "1"}
            subprocess.run([self.python, *words], check=True, env=environment, cwd=folder / "site", stdout=subprocess.DEVNULL)

        run("-m", "django", "makemigrations", "lantern")
        run("-m", "django", "migrate")
        run("fill.py", PASSWORD)

    def templates(self, folder):
        routes = folder / "routes.txt"
        return set(routes.read_text().split("\n")) - {""} if routes.exists() else set()

    def mails(self, folder):
        letters = folder / "mails"
        return sum(1 for _ in letters.iterdir()) if letters.exists() else 0


class Roundup(sites.Roundup, Compared):
    """An issue tracker of the classic template with six issues, four people, answers and a saved query."""

    database = "home/db/db"
    kept = Kept({
        "ids": "counter: the last number that was given",
        "otks": "sessions: keys of forms, each for once",
        "sessions": "sessions",
        "__fts*": "index: made again from the content",
        "__words": "index: made again from the content",
        "__textids": "index: made again from the content",
        "sqlite_sequence": "counter: the last number that was given",
        "_user._activity": "log: when a person's own list of searches last got one more",
    })

    def fill(self, folder):
        super().fill(folder)
        home = folder / "home"

        # What it would send to people becomes a file.
        environment = {**sites.os.environ, "SENDMAILDEBUG": str(folder / "mails-of-before")}

        def admin(*words):
            command = [self.python.parent / "roundup-admin", "-i", home, *words]
            return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout.strip()

        for name in ["ben", "cleo"]:
            admin("create", "user", f"username={name}", f"password={PASSWORD}", f"address={name}@tracker.example", "roles=User")
        for title, priority, who in [("Lamp goes out", "urgent", "ben"), ("New handbook", "feature", "cleo"), ("Old wiring", "bug", "ada")]:
            admin("create", "issue", f"title={title}", f"priority={priority}", f"assignedto={who}", f"nosy={who},admin", "keyword=network")
        for issue in ["1", "2", "4"]:
            letter = admin("create", "msg", "author=ada", "content=I looked at it and it is still so.", "date=2026-01-10", "recipients=admin")
            admin("set", f"issue{issue}", f"messages={letter}")
        admin("create", "query", "name=urgent things", "klass=issue", "url=@columns=title,id&priority=2&@filter=priority")

    def templates(self, folder):
        """Paths with their numbers taken out, and which template of the class was asked for."""
        found = set()
        log = (folder / "server.log").read_text(errors="replace")
        for address, status in re.findall(r'"(?:GET|POST) (\S+) HTTP/[\d.]+" (\d+)', log):
            parts = urllib.parse.urlsplit(address)
            if int(status) < 400:
                path = "/tracker/@@file/…" if "@@file" in parts.path else re.sub(r"\d+", "{}", parts.path)
                named = urllib.parse.parse_qs(parts.query).get("@template") or urllib.parse.parse_qs(parts.query).get(":template") or [""]
                found.add(f"{path} {named[0]}".strip())
        return found

    def mails(self, folder):
        letters = folder / "mails"
        return letters.read_text(errors="replace").count("\nSubject:") if letters.exists() else 0


APPLICATIONS = {application.name: application for application in [Wagtail, Roundup]}
