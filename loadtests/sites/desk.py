"""The helpdesk: django-helpdesk in a project of its own (`desk_project/`)."""

import os
import shutil
import subprocess

from served import HERE, PASSWORD, Application, Server


class Helpdesk(Application):
    """A helpdesk of two queues: six tickets with what was answered, a checklist, a knowledge base, one colleague beside the administrator.
    Django, with a page for each step."""

    name, package, environment = "helpdesk", "helpdesk", "sites-helpdesk"
    omit = ["*/helpdesk/migrations/*", "*/helpdesk/tests/*"]
    login, login_path = {"username": "ada", "password": PASSWORD}, "/login/"

    def surroundings(self, folder):
        return {"DJANGO_SETTINGS_MODULE": "settings", "PYTHONPATH": str(folder / "project"), "DESK_DATA": str(folder)}

    def serve(self, folder, launcher, port):
        # Without `--insecure` it would serve no styles and scripts, since it is not in its debug mode.
        words = ["django", "runserver", f"127.0.0.1:{port}", "--noreload", "--insecure"]
        return Server([*launcher, *words], folder, port, self.surroundings(folder), "/")

    def fill(self, folder):
        shutil.copytree(HERE / "desk_project", folder / "project", ignore=shutil.ignore_patterns("__pycache__"))
        environment = {**os.environ, **self.surroundings(folder), "PYTHONDONTWRITEBYTECODE": "1"}
        for words in [["-m", "django", "migrate"], ["-m", "django", "loaddata", "emailtemplate.json"], ["fill.py", PASSWORD]]:
            subprocess.run([self.python, *words], check=True, env=environment, cwd=folder / "project", stdout=subprocess.DEVNULL)
