"""The applications that are spoken to: a budget, a tracker and a CMS, which other measurements have too, and bookmarks and a forum.

Each site is an application in one language of its pages; sentences are English. How the first three are started and filled stands
in `loadtests/sites/applications.py` and `loadtests/harm/applications.py`.
"""

import importlib.util
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "harm"))
found = importlib.util.spec_from_file_location("harm_applications", HERE.parent / "harm" / "applications.py")
harm = importlib.util.module_from_spec(found)
found.loader.exec_module(harm)
sites, Kept, PASSWORD = harm.sites, harm.Kept, harm.PASSWORD


class Spoken:
    """What a conversation with an application needs beside its data."""

    # The language of its pages, the folder of its interpreter in the cache, and how Rutter logs in: none where nobody needs to.
    language, venv, recipe_file = "en", "english", None
    # What may differ in its database, and why; and by what the rows of a table are known, where that is not their number.
    kept, known_by = Kept({}), {}

    def __init__(self, cache):
        super().__init__(cache / self.venv / "bin" / "python", cache / "english-data")
        self.store = cache / "english-data" / self.site()

    def site(self):
        return self.name if self.language == "en" else f"{self.name}-{self.language}"

    def recipe(self):
        return self.recipe_file and HERE.parent / self.recipe_file

    def prepare(self):
        """Makes the data that everything begins with, once."""
        sites.made_once(self.store, self.site(), self.fill)

    def start(self, folder):
        """Starts it on a fresh copy of its data in `folder`."""
        self.prepare()
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.store, folder)
        return self.serve(folder, [self.python, "-m"], sites.free_port())


class Budget(Spoken, sites.IHateMoney):
    venv, recipe_file, database = "sites", "sites/ihatemoney.yaml", "budget.sqlite"
    kept = Kept({
        "*_version": "log: every version of a row",
        "transaction": "log: who changed something when",
        "sqlite_sequence": "counter: the last number that was given",
    })


class BudgetInFrench(Budget):
    language = "fr"


class Tracker(Spoken, harm.Roundup):
    venv, recipe_file = "sites", "harm/roundup.yaml"
    kept = Kept({
        **harm.Roundup.kept.reasons,
        "*.__activity": "log: when the record was last touched",
        "*.__actor": "log: who touched it last",
        "*._activity": "log: when the record was last touched",
        "*._actor": "log: who touched it last",
        "*__journal": "log: what was changed when",
    })


class TrackerInGerman(Tracker):
    # The only button of its form says `Anmelden`.
    language, recipe_file = "de", "english/roundup-de.login.yaml"


class Website(Spoken, harm.Wagtail):
    venv, recipe_file = "harm", "harm/wagtail.yaml"
    kept = Kept({
        **harm.Wagtail.kept.reasons,
        "wagtailcore_modellogentry": "log",
        "wagtailcore_pagelogentry": "log",
        "wagtailcore_referenceindex": "index: made again from the content",
        "wagtailcore_collection.path": "index: places in the tree, which move where one more is put among them",
        "wagtailimages_rendition": "index: pictures in other sizes, made where one is shown",
        "wagtailusers_userprofile.dismissibles": "log: which hints somebody closed",
        "wagtaildocs_document.file_size": "counter: of the file's bytes, which the first save fills in",
        "wagtaildocs_document.file_hash": "index: of the file, which the first save fills in",
    })


class WebsiteInSpanish(Website):
    language, recipe_file = "es", "harm/wagtail.yaml"

    def fill(self, folder):
        super().fill(folder)
        database = sqlite3.connect(folder / self.database)
        with database:
            mara = database.execute("SELECT id FROM auth_user WHERE username = 'mara'").fetchone()[0]
            database.execute("DELETE FROM wagtailusers_userprofile WHERE user_id = ?", [mara])
            columns = [row[1:4] for row in database.execute("PRAGMA table_info(wagtailusers_userprofile)")]
            # Whatever else a version of the profile asks for is empty, and every notice is on.
            values = {name: 1 if kind == "bool" else "" for name, kind, needed in columns if needed and name != "id"}
            values |= {"user_id": mara, "preferred_language": "es"}
            values |= {name: value for name, value in [("dismissibles", "{}"), ("theme", "system"), ("density", "default")] if name in values}
            values |= {name: value for name, value in [("contrast", "system"), ("keyboard_shortcuts", 1)] if name in values}
            listed, places = ", ".join(values), ", ".join("?" * len(values))
            database.execute(f"INSERT INTO wagtailusers_userprofile ({listed}) VALUES ({places})", list(values.values()))
        database.close()


class Bookmarks(Spoken, sites.Application):
    """Eight bookmarks of a person who cooks and programs."""

    name, database = "buku", "bookmarks.db"
    # Where one goes, all that follow take the number before theirs.
    known_by = {"bookmarks": ["URL"]}
    kept = Kept({"bookmarks.id": "counter: the place in the list"})

    def serve(self, folder, launcher, port):
        surroundings = {"BUKUSERVER_DB_FILE": str(folder / self.database), "BUKUSERVER_SECRET_KEY": "not secret: nobody else comes here"}
        words = ["bukuserver", "run", "--host", "127.0.0.1", "--port", port]
        return sites.Server([*launcher, *words], folder, port, {**surroundings, "BUKU_DEFAULT_DBDIR": str(folder)}, "/bookmark/")

    def fill(self, folder):
        surroundings = {**os.environ, "BUKU_DEFAULT_DBDIR": str(folder)}
        subprocess.run([self.python, HERE / "bookmarks.py", folder / self.database], check=True, env=surroundings, stdout=subprocess.DEVNULL)


class Forum(Spoken, sites.Application):
    """A forum of a gardening club: three categories, eight topics, four people."""

    name, database, recipe_file = "spirit", "forum.sqlite", "english/spirit.login.yaml"
    login, login_path = {"username": "ada", "password": PASSWORD}, "/user/login/"
    kept = Kept({
        "django_session": "sessions",
        "sqlite_sequence": "counter: the last number that was given",
        "auth_user.last_login": "log: when somebody last logged in",
        "spirit_user_userprofile.last_seen": "log: when somebody was last there",
        "spirit_user_userprofile.last_ip": "log: from where somebody came",
        "spirit_user_userprofile.last_post_hash": "log: against sending the same twice",
        "spirit_user_userprofile.last_post_on": "log: when somebody last wrote",
        "spirit_user_userprofile.comment_count": "counter: of what somebody wrote",
        "spirit_user_userprofile.topic_count": "counter: of topics that somebody began",
        "spirit_topic_topic.view_count": "counter: of visits",
        "spirit_topic_topic.comment_count": "counter: of comments",
        "spirit_topic_topic.last_active": "log: when somebody last wrote there",
        "*.reindex_at": "index",
        "spirit_topic_unread_topicunread": "log: what somebody has read",
        "spirit_comment_bookmark_commentbookmark": "log: how far somebody has read",
        "spirit_comment_history_commenthistory": "log: every version of a comment",
    })

    def surroundings(self, folder):
        return {
            "DJANGO_SETTINGS_MODULE": "settings",
            "PYTHONPATH": f"{HERE / 'forum'}:{folder / 'project'}",
            "FORUM_DATA": str(folder),
        }

    def serve(self, folder, launcher, port):
        words = ["django", "runserver", f"127.0.0.1:{port}", "--noreload"]
        return sites.Server([*launcher, *words], folder, port, self.surroundings(folder), "/")

    def fill(self, folder):
        programs = self.python.parent
        # Its start-up command calls `django-admin` by name.
        path = {"PATH": f"{programs}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
        subprocess.run([programs / "spirit", "startproject", "club"], cwd=folder, check=True, env={**os.environ, **path}, stdout=subprocess.DEVNULL)
        # The project's folder has the name of the package in it, which would hide the package.
        (folder / "club").rename(folder / "project")
        surroundings = {**os.environ, **path, **self.surroundings(folder)}
        for words in [["-m", "django", "migrate"], [HERE / "forum" / "fill.py", PASSWORD]]:
            subprocess.run([self.python, *words], check=True, env=surroundings, cwd=folder, stdout=subprocess.DEVNULL)


SITES = {}
for _kind in [Budget, BudgetInFrench, Tracker, TrackerInGerman, Website, WebsiteInSpanish, Bookmarks, Forum]:
    SITES[_kind.site(_kind)] = _kind
