"""Starts the compose file with a Docker engine, hands a campaign in, takes the broker away meanwhile, stops and starts everything, and looks
whether results were kept. The servers are those of our own image, so that no registry is asked.

    try.py IMAGES FOLDER

IMAGES has the archives of `make images`. FOLDER gets a copy of the compose file. Docker and its `compose` are found as ever (DOCKER_HOST).
"""

import json
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = "rutter-try"
FILES = ["compose.yaml", "bundled.yaml", "try.yaml"]
SITE = "http://site:8090"
JOBS = 24
# A site of one page, by what the image of the servers has.
SERVER = r"""
use IO::Socket::INET;
my $page = q(<title>Shop</title><button onclick="said.textContent = 'Thank you'">Buy</button><p id=said></p>);
my $listener = IO::Socket::INET->new(LocalPort => 8090, Listen => 64, ReuseAddr => 1) or die $!;
$SIG{CHLD} = "IGNORE";
while (1) {
  my $caller = $listener->accept or next;
  next if fork;
  while (my $line = <$caller>) { last if $line eq "\r\n" }
  print $caller "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: " . length($page) . "\r\n\r\n$page";
  exit;
}
"""


def die(words):
    sys.exit(f"compose: error: {words}")


def run(*command, folder=None, may_fail=False):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=folder)
    if done.returncode != 0 and not may_fail:
        die(f"{' '.join(map(str, command))}: {done.stderr.strip() or done.stdout.strip()}")
    return done


class Try:
    def __init__(self, folder):
        self.folder, self.began = folder, time.monotonic()

    def say(self, words):
        print(f"{time.monotonic() - self.began:6.1f} s  {words}", flush=True)

    def check(self, what, holds, saw=""):
        self.say(f"{'ok' if holds else 'FAILED'}  {what}")
        if not holds:
            raise AssertionError(f"{what}: {saw}")

    def compose(self, *arguments, may_fail=False):
        files = [part for name in FILES for part in ("--file", name)]
        return run("docker", "compose", "--project-name", PROJECT, *files, *arguments, folder=self.folder, may_fail=may_fail)

    def client(self, *arguments):
        # Whether jobs passed is asked of the results.
        return self.compose("run", "--rm", "client", *arguments, may_fail=True).stdout

    def results(self, campaign):
        return json.loads(self.client("results", campaign, "--output", "json"))

    def prepare(self):
        shutil.copytree(HERE, self.folder, ignore=shutil.ignore_patterns("secrets", ".env", "__pycache__"))
        # Ports that nobody has.
        (self.folder / ".env").write_text("POSTGRES_PASSWORD=unused\nCAMPAIGNS_PORT=0\nAGGREGATOR_PORT=0\n")
        run("sh", "setup.sh", folder=self.folder)
        site = {"image": "localhost/rutter/servers:0.1.0", "command": ["perl", "-e", SERVER.replace("$", "$$")], "networks": ["outside"]}
        (self.folder / "try.yaml").write_text(json.dumps({"services": {"site": site}}))
        # A name that leads into a private network is asked only where a task's site lists the network: those that Docker has.
        sites = {"shop": {"scope": {"hosts": ["172.16.0.0/12", "192.168.0.0/16"]}}}
        task = lambda number: {"id": f"buy-{number}", "site": "shop", "start_url": f"{SITE}/", "instruction": 'Click on the "Buy" button.',
                               "check": {"text": {"contains": "Thank you"}}}
        (self.folder / "tasks/buy.yaml").write_text(json.dumps({"sites": sites, "tasks": [task(number) for number in range(JOBS)]}))

    def up(self):
        began = time.monotonic()
        self.compose("up", "--detach", "--wait", "--wait-timeout", "300")
        self.say(f"everything is ready in {time.monotonic() - began:.0f} s")

    def run(self, images):
        for name in ("rutter", "browser", "servers"):
            run("docker", "load", "--input", images / f"{name}.tar")
        self.say("images are loaded")
        self.prepare()
        self.up()
        self.client("submit", "/tasks/buy.yaml", "--campaign", "first")
        self.compose("restart", "kafka")
        self.say("the only broker was started again")
        self.client("watch", "first")
        found = self.results("first")
        verdicts = [one["verdict"] for one in found["outcomes"]]
        self.check(f"{JOBS} of {JOBS} jobs passed", verdicts == ["PASSED"] * JOBS, found)
        self.check("no attempt was lost while the broker was away", found["totals"]["lost_attempts"] == 0, found["totals"])
        reached = lambda host, port: self.compose(
            "exec", "--no-tty", "browser", "timeout", "3", "bash", "-c", f"echo > /dev/tcp/{host}/{port}", may_fail=True).returncode == 0
        self.check("a browser reaches sites, and PostgreSQL not", reached("site", 8090) and not reached("postgres", 5432))
        self.compose("down")
        self.up()
        self.check("results are kept", self.results("first") == found)


def main(arguments):
    images, folder = (pathlib.Path(argument).resolve() for argument in arguments)
    for tool in (["docker", "version"], ["docker", "compose", "version"]):
        if shutil.which("docker") is None or run(*tool, may_fail=True).returncode != 0:
            die(f"`{' '.join(tool)}` does not work: this needs a Docker engine and Compose")
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    attempt = Try(folder)
    try:
        attempt.run(images)
    except AssertionError as failure:
        print(attempt.compose("ps", "--all", may_fail=True).stdout)
        print(attempt.compose("logs", "--no-color", "--tail", "20", may_fail=True).stdout)
        sys.exit(str(failure))
    finally:
        if (folder / "try.yaml").exists():
            attempt.compose("down", "--volumes", "--timeout", "5", may_fail=True)
    attempt.say("removed")


if __name__ == "__main__":
    main(sys.argv[1:])
