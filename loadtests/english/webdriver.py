"""A browser for recording pages: chromedriver over HTTP, as far as it is needed here."""

import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

DRIVERS = ["chromedriver", "chromium.chromedriver"]
# How long the driver may take to start, and a command to be answered.
START_S, ANSWER_S = 20, 60


class Browser:
    """One browser window; a context manager that ends the browser and its driver."""

    def __init__(self, port, language="en"):
        program = next(filter(None, map(shutil.which, DRIVERS)), None)
        if not program:
            raise SystemExit("no chromedriver on the PATH; `deploy/local/setup.sh browser` installs it")
        self.base, self.session = f"http://127.0.0.1:{port}", None
        self.driver = subprocess.Popen([program, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.wait_for_driver(port)
            self.session = self.begin(language)["sessionId"]
        except BaseException:
            self.driver.kill()
            raise

    def wait_for_driver(self, port):
        end = time.monotonic() + START_S
        while time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.1)
        raise SystemExit("chromedriver does not answer")

    def begin(self, language):
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,1000", "--no-proxy-server", "--disable-dev-shm-usage"]
        options = {"args": arguments, "prefs": {"intl.accept_languages": language}}
        return self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}})

    def ask(self, method, path, fields=None):
        body = json.dumps(fields).encode() if fields is not None else None
        request = urllib.request.Request(self.base + path, data=body, method=method, headers={"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=ANSWER_S) as answer:
                return json.loads(answer.read())["value"]
        except urllib.error.HTTPError as error:
            raise SystemExit(f"chromedriver, {path}: {error.read().decode(errors='replace')[:500]}") from None

    def open(self, url):
        self.ask("POST", f"/session/{self.session}/url", {"url": url})

    def run(self, script, *arguments):
        return self.ask("POST", f"/session/{self.session}/execute/sync", {"script": script, "args": list(arguments)})

    def devtools(self, command, **parameters):
        return self.ask("POST", f"/session/{self.session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def address(self):
        return self.ask("GET", f"/session/{self.session}/url")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            if self.session:
                self.ask("DELETE", f"/session/{self.session}")
        finally:
            self.driver.terminate()
            self.driver.wait()
