"""The printer: OctoPrint, which drives a 3D printer that is only simulated."""

import json
import shutil
import subprocess
import urllib.parse
import urllib.request

from served import HERE, PASSWORD, Application, Server, free_port, opener

# For filling it. It guards nothing.
KEY = "0123456789ABCDEF0123456789ABCDEF"


class OctoPrint(Application):
    """A workshop's 3D printer, simulated and connected: three files to print in two folders, two printer profiles, one colleague beside the
    administrator. Flask and Tornado, with one page whose scripts (Knockout) talk JSON to the server, also over a WebSocket."""

    name, package, environment = "octoprint", "octoprint", "sites-octoprint"
    # Other people's packages that it carries along, the simulated printer, its commands for developers, and plugins that are off.
    unused = ["announcements", "discovery", "errortracking", "health_check", "pluginmanager", "softwareupdate", "tracking", "virtual_printer"]
    omit = ["*/octoprint/vendor/*", "*/octoprint/cli/*", *[f"*/octoprint/plugins/{name}/*" for name in unused]]
    # Its robots.txt keeps every robot out of every printer.
    exploring = ["--ignore-robots"]
    login, login_path = {"login-user": "ada", "login-password": PASSWORD}, "/login/"

    def serve(self, folder, launcher, port):
        # It wants to be told so where it runs as root.
        words = ["octoprint", "serve", "--iknowwhatimdoing", "--basedir", folder / "home", "--host", "127.0.0.1", "--port", port]
        return Server([*launcher, *words], folder, port, {}, "/", ready="Listening on http://")

    def let_in(self, crawl):
        """Its form is sent as JSON by a script, with the token that a cookie brought. Its robots.txt does not count."""
        crawl.robots.allow_all = True
        crawl.get(urllib.parse.urljoin(crawl.start, self.login_path))
        token = next((cookie.value for cookie in crawl.cookies if cookie.name.startswith("csrf_token")), "")
        fields = {"user": self.login["login-user"], "pass": self.login["login-password"], "remember": False}
        crawl.log_in_by_json("/api/login", fields, {"X-CSRF-Token": token})

    def fill(self, folder):
        home = folder / "home"
        shutil.copytree(HERE / "printer_home", home)
        user = ["-m", "octoprint", "--basedir", home, "user", "add", "ada", "--password", PASSWORD, "--admin"]
        subprocess.run([self.python, *user], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server = self.serve(folder, [self.python, "-m"], free_port())
        try:
            send = Sender(f"http://127.0.0.1:{server.port}/api/")
            send.json("access/users", {"name": "ben", "password": PASSWORD, "active": True, "groups": ["users"], "permissions": []})
            send.json("printerprofiles", {"profile": {"id": "small", "name": "Small printer", "model": "S1"}, "basedOn": "_default"})
            send.form("files/local", {"foldername": "lamps"})
            for name, path in [("hook.gcode", ""), ("foot.gcode", "lamps"), ("shade.gcode", "lamps")]:
                send.form("files/local", {"path": path}, name, cube(layers=8))
        finally:
            server.stop()


def cube(layers):
    """What a printer does to print a small cube."""
    lines = ["M140 S60", "M104 S205", "G28", "G90", "M82", "G92 E0"]
    used = 0.0
    for layer in range(layers):
        lines.append(f"G1 Z{0.2 * (layer + 1):.1f} F3000")
        for x, y in [(50, 50), (70, 50), (70, 70), (50, 70), (50, 50)]:
            used += 0.7
            lines.append(f"G1 X{x} Y{y} E{used:.2f} F1800")
    return "\n".join([*lines, "M104 S0", "M140 S0", "M84", ""])


class Sender:
    """Sends to the interface for programs, with its key."""

    def __init__(self, address):
        self.address = address

    def json(self, path, content):
        self.send(path, json.dumps(content).encode(), "application/json")

    def form(self, path, fields, name=None, content=""):
        """Sends a form, with a file where one is named."""
        mark = "part-of-this-form"
        parts = [f'--{mark}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n' for field, value in fields.items()]
        if name:
            head = f'Content-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: text/plain'
            parts.append(f"--{mark}\r\n{head}\r\n\r\n{content}\r\n")
        self.send(path, "".join([*parts, f"--{mark}--\r\n"]).encode(), f"multipart/form-data; boundary={mark}")

    def send(self, path, body, kind):
        asked = urllib.request.Request(self.address + path, data=body, headers={"Content-Type": kind, "X-Api-Key": KEY})
        opener().open(asked, timeout=30).close()
