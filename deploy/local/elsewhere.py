"""Browsers of another machine: the demo's tasks, an upload and a download, by a Grid in a network of its own.

  elsewhere.py RUTTER RESULTS [--seeds 0..3] [--only bidi|classic]

Two networks stand for two machines, joined by one cable: here Rutter runs, with its gates and the pages that it serves on loopback; there
a Selenium Grid with its browsers, which have no way to anything but this end of the cable, and find nothing there but gates. Each task
must come to the verdict that it comes to in one process with browsers of its own, over both wires. Meanwhile another process beside the
browsers tries every gate that it sees; nothing may be answered to it but a refusal. Linux only, as root. What was found is written to
RESULTS/elsewhere.json.
"""

import argparse
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import network  # noqa: E402

OURS, THEIRS, NEIGHBOUR = "10.211.0.1", "10.211.0.2", "10.211.0.3"
WIRES = ["bidi", "classic"]

# What a stranger beside the browsers tries: to be served by a gate, with no credential and with a wrong one. Prints the statuses that it got.
STRANGER = """
import base64, socket, sys
host, port, source, page = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
for credential in ["", "Proxy-Authorization: Basic " + base64.b64encode(b"rutter:guess").decode() + "\\r\\n"]:
    try:
        with socket.create_connection((host, port), timeout=3, source_address=(source, 0)) as gate:
            gate.sendall(f"GET {page} HTTP/1.1\\r\\nHost: x\\r\\n{credential}Connection: close\\r\\n\\r\\n".encode())
            head = gate.recv(100)
            print(head.split(b" ")[1].decode() if head.startswith(b"HTTP/") else "closed")
    except OSError:
        print("closed")
"""


def run(*words, **more):
    return subprocess.run([str(word) for word in words], check=True, **more)


def missing():
    """What this machine lacks for two networks, in words."""
    if os.geteuid() != 0:
        return "root"
    return ", ".join(tool for tool in ["ip", "ss", "unshare", "nsenter"] if not shutil.which(tool))


class Machine:
    """The other end of the cable: a network namespace, kept by a process."""

    def __init__(self):
        run("ip", "link", "set", "lo", "up")
        self.keeper = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        deadline = time.monotonic() + 10
        here = os.readlink("/proc/self/ns/net")
        while os.readlink(f"/proc/{self.keeper.pid}/ns/net") == here:
            if time.monotonic() > deadline:
                raise SystemExit("elsewhere: the other network did not come to be")
            time.sleep(0.02)
        run("ip", "link", "add", "ours", "type", "veth", "peer", "name", "theirs", "netns", self.keeper.pid)
        run("ip", "address", "add", f"{OURS}/24", "dev", "ours")
        run("ip", "link", "set", "ours", "up")
        for words in [["link", "set", "lo", "up"], ["link", "set", "theirs", "up"],
                      ["address", "add", f"{THEIRS}/24", "dev", "theirs"], ["address", "add", f"{NEIGHBOUR}/24", "dev", "theirs"]]:
            self.run("ip", *words)

    def words(self, *words):
        return ["nsenter", "--target", str(self.keeper.pid), "--net", *[str(word) for word in words]]

    def run(self, *words, **more):
        return run(*self.words(*words), **more)

    def end(self):
        self.keeper.kill()
        self.keeper.wait()


class Site(http.server.BaseHTTPRequestHandler):
    """Takes a file and gives one."""

    taken = []

    def do_GET(self):
        if self.path == "/report.csv":
            return self.give("text/csv", b"name;quantity\nAda;2\n", {"Content-Disposition": "attachment; filename=report.csv"})
        self.give("text/html", b"""<!doctype html><title>Files</title><h1>Files</h1>
            <form method=post enctype=multipart/form-data action=/take><label>Document <input type=file name=document></label>
            <button>Hand in</button></form><a href=/report.csv>Monthly report</a>""")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Site.taken.append(b"four words in it" in body and b'filename="notes.txt"' in body)
        said = "Taken" if Site.taken[-1] else "Nothing of use came"
        self.give("text/html", f"<!doctype html><title>Files</title><p>{said}</p>".encode())

    def give(self, kind, content, more=None):
        self.send_response(200)
        for name, value in {"Content-Type": kind, "Content-Length": len(content), **(more or {})}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def gates():
    """Ports on which something listens at our end of the cable."""
    told = subprocess.run(["ss", "-Hltn", "src", OURS], capture_output=True, text=True, check=True).stdout
    return {int(line.split()[3].rsplit(":", 1)[1]) for line in told.splitlines()}


class Stranger(threading.Thread):
    """Tries every gate that opens, until told to end."""

    def __init__(self, machine, sources, page):
        super().__init__(daemon=True)
        self.machine, self.sources, self.page = machine, sources, page
        self.answers, self.tried, self.is_over = {}, set(), False

    def run(self):
        while not self.is_over:
            for port in gates() - self.tried:
                self.tried.add(port)
                for source in self.sources:
                    words = self.machine.words(sys.executable, "-c", STRANGER, OURS, port, source, self.page)
                    for answer in subprocess.run(words, capture_output=True, text=True).stdout.split():
                        self.answers[answer] = self.answers.get(answer, 0) + 1
            time.sleep(0.2)

    def end(self):
        self.is_over = True
        self.join()
        return {"gates": len(self.tried), "answers": self.answers}


def verdicts(rutter, folder, arguments):
    """The verdict and the reason of each job of a run, by its task and seed."""
    words = [rutter, *arguments, "--run-dir", folder, "--output", "json"]
    ended = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if ended.returncode not in (0, 1):
        raise SystemExit(f"elsewhere: {' '.join(map(str, words))} ended with {ended.returncode}:\n{ended.stderr[-2000:]}")
    results = json.loads((folder / "results.json").read_text())
    return {outcome["job"]: (outcome["verdict"], outcome["reason"]) for outcome in results["outcomes"]}


def tasks_of_files(folder, address):
    (folder / "notes.txt").write_text("four words in it\n")
    tasks = [
        {"id": "upload", "start_url": address, "instruction": 'Upload {notes} as "Document" and press "Hand in".',
         "parameters": {"notes": {"file": "notes.txt"}}, "check": {"text": {"contains": "Taken"}}},
        {"id": "download", "start_url": address, "instruction": 'Click "Monthly report".', "downloads": True,
         "check": {"request": {"url": {"contains": "/report.csv"}, "status": 200}}},
    ]
    file = folder / "files.yaml"
    file.write_text(json.dumps({"tasks": tasks}))
    return file


def downloaded(folder):
    """What was kept of the download task of a run."""
    kept = list((folder / "downloads").rglob("*.csv"))
    return [file.read_bytes().decode() for file in kept]


def main():
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("rutter", type=pathlib.Path)
    asked.add_argument("results", type=pathlib.Path)
    asked.add_argument("--seeds", default="0..3")
    asked.add_argument("--only", choices=WIRES)
    asked = asked.parse_args()
    if lacking := missing():
        raise SystemExit(f"elsewhere: this needs {lacking}")
    network.enter()
    rutter, folder = asked.rutter.resolve(), pathlib.Path(tempfile.mkdtemp(prefix="rutter-elsewhere-"))
    machine = Machine()
    servers = [HERE / "servers.sh"]
    grid = ["--dir", folder / "grid"]
    try:
        env = {**os.environ, "GRID_HOST": THEIRS}
        machine.run(*servers, "up", *grid, "--nodes", "1", "--sessions", "2", "grid", env=env)
        told = machine.run(*servers, "env", *grid, env=env, capture_output=True, text=True).stdout
        webdriver = dict(line.split("=", 1) for line in told.splitlines() if "=" in line)["RUTTER_TEST_GRID"]
        site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
        threading.Thread(target=site.serve_forever, daemon=True).start()
        page = f"http://127.0.0.1:{site.server_port}/"
        files = tasks_of_files(folder, page)
        bench = ["bench", "miniwob", "--suite", "demo", "--planner", "ground", "--seeds", asked.seeds, "--workers", "2"]
        both = [("demo", bench), ("files", ["run", files])]
        here = {}
        for name, arguments in both:
            here.update(verdicts(rutter, folder / f"here-{name}", arguments))
        found = {"jobs": [], "strangers": {}, "downloads": {"here": downloaded(folder / "here-files")}}
        faults = []
        for wire in [asked.only] if asked.only else WIRES:
            # Over classic WebDriver no credential can be given: there the browser's machine is let in, and no other address.
            stranger = Stranger(machine, [NEIGHBOUR] if wire == "classic" else [THEIRS, NEIGHBOUR], page)
            stranger.start()
            there = {}
            for name, arguments in both:
                elsewhere = ["--webdriver", webdriver, "--gate", OURS, "--wire", wire]
                there.update(verdicts(rutter, folder / f"{wire}-{name}", [*arguments, *elsewhere]))
            found["strangers"][wire] = stranger.end()
            found["downloads"][wire] = downloaded(folder / f"{wire}-files")
            if found["downloads"][wire] != found["downloads"]["here"] or not found["downloads"][wire]:
                faults.append(f"{wire}: the download came back as {found['downloads'][wire]}")
            if not found["strangers"][wire]["gates"] or set(found["strangers"][wire]["answers"]) - {"407", "closed"}:
                faults.append(f"{wire}: a stranger was answered {found['strangers'][wire]}")
            for job in sorted(here.keys() | there.keys()):
                (before, _), (after, reason) = here.get(job, ("no row", "")), there.get(job, ("no row", ""))
                found["jobs"].append({"job": job, "wire": wire, "here": before, "elsewhere": after, "reason": reason})
        differ = [row for row in found["jobs"] if row["here"] != row["elsewhere"]]
        faults += [f"{row['wire']}: {row['job']}: {row['here']} here, {row['elsewhere']} elsewhere: {row['reason']}" for row in differ]
        found["faults"] = faults
        asked.results.mkdir(parents=True, exist_ok=True)
        (asked.results / "elsewhere.json").write_text(json.dumps(found, indent=1))
        print(f"{len(found['jobs'])} jobs on browsers elsewhere, {len(differ)} with another verdict than here; files taken {sum(Site.taken)}")
        for wire, tried in found["strangers"].items():
            print(f"{wire}: a stranger tried {tried['gates']} gates and was answered {tried['answers']}")
        for fault in faults:
            print(f"fault: {fault}")
        sys.exit(1 if faults else 0)
    finally:
        machine.run(*servers, "clean", *grid, env={**os.environ, "GRID_HOST": THEIRS}, stdout=subprocess.DEVNULL)
        machine.end()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
