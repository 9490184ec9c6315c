"""What the tests of deploy/kube share: a control plane of their own or the cluster of KUBECONFIG, the roles of Rutter, the operator, and
checks that say what they saw."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import time
import urllib.request

import control_plane as plane

ROOT = plane.ROOT
NAMESPACE = "qa"
# Namespaces that the tests make.
NAMESPACES = [NAMESPACE, "research", "refused", "elsewhere"]
DEFINITIONS = ["campaigns", "schedules", "fleets"]

# Campaigns with these labels are worked through; the crawler of the bench leaves others alone.
DONE = {"work": "done"}


class Failed(Exception):
    """A check did not hold."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Bench:
    """`given` is a KUBECONFIG whose cluster is used instead of one of its own: nothing of it is ended, and what the test makes there is
    removed again."""

    def __init__(self, folder, rutter, operator, given=None):
        self.given, self.made = given, []
        self.folder, self.rutter, self.operator = pathlib.Path(folder), pathlib.Path(rutter), pathlib.Path(operator)
        self.passed, self.failed, self.began = [], [], time.monotonic()
        self.names = []

    # --- saying ---------------------------------------------------------------------------------------------------------

    def say(self, words):
        print(f"{time.monotonic() - self.began:6.1f} s  {words}", flush=True)

    def check(self, what, holds, saw=""):
        (self.passed if holds else self.failed).append(what)
        if not holds:
            self.say(f"FAILED  {what}: {saw}")
        return holds

    def wait(self, what, found, patience=60, every=0.3):
        """Waits until `found` gives something that is true, and gives it back."""
        until = time.monotonic() + patience
        saw = None
        while time.monotonic() < until:
            saw = found()
            if saw:
                self.check(what, True)
                return saw
            time.sleep(every)
        self.check(what, False, f"not in {patience} s; saw {saw!r}")
        raise Failed(what)

    # --- the API server ---------------------------------------------------------------------------------------------------

    def kubectl(self, *arguments, given=None, may_fail=False):
        stdin = json.dumps(given) if isinstance(given, (dict, list)) else given
        done = plane.kubectl(self.folder, *arguments, stdin=stdin)
        if done.returncode != 0 and not may_fail:
            raise Failed(f"kubectl {' '.join(arguments)}: {done.stderr.strip()}")
        return done

    def get(self, kind, name=None, namespace=NAMESPACE):
        done = self.kubectl("get", kind, *([name] if name else []), "--namespace", namespace, "--output", "json", may_fail=True)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def patch(self, kind, name, change, *more):
        return self.kubectl("patch", kind, name, "--namespace", NAMESPACE, "--type", "merge", "--patch", json.dumps(change), *more)

    def create(self, resource):
        return self.kubectl("create", "--filename", "-", given=resource)

    def writes(self):
        """Changes that the API server took, but for signs of life: leases and events of its own. In a cluster that others use as well,
        what the operator says of itself."""
        total = 0
        if self.given:
            told = self.http(f"http://127.0.0.1:{self.operator_admin}/metrics").splitlines()
            return sum(float(line.rsplit(" ", 1)[1]) for line in told if line.startswith("rutter_operator_writes_total"))
        for line in self.kubectl("get", "--raw", "/metrics").stdout.splitlines():
            if line.startswith("apiserver_request_total{") and any(f'verb="{verb}"' in line for verb in ("APPLY", "POST", "PUT", "PATCH", "DELETE")):
                if 'dry_run=""' in line and 'group="coordination.k8s.io"' not in line and 'resource="tokenreviews"' not in line \
                        and "accessreviews" not in line:
                    total += float(line.rsplit(" ", 1)[1])
        return total

    # --- processes ---------------------------------------------------------------------------------------------------------

    def up(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.given:
            self.adopt()
        else:
            plane.up(self.folder)
            self.say("etcd, API server and controller manager answer")
        self.kubectl("apply", "--server-side", *(["--force-conflicts"] if self.given else []), "--filename", str(ROOT / "helm/rutter/crds"))
        self.kubectl("wait", "--for=condition=Established", "crd", "campaigns.rutter.dev", "schedules.rutter.dev", "fleets.rutter.dev",
                     "--timeout=30s")
        self.kubectl("create", "namespace", NAMESPACE)
        # The paths of a resource are served some moments after its definition was established.
        for kind in DEFINITIONS:
            self.wait(f"the API server serves {kind}", lambda kind=kind: self.get(kind) is not None, 20)

    def adopt(self):
        """The cluster of KUBECONFIG, unless something of somebody's is there under the names that the test uses."""
        server = plane.adopt(self.folder, self.given)
        self.say(f"the cluster of KUBECONFIG is used: {server}")
        listed = lambda kind: {name.rsplit("/", 1)[1] for name in self.kubectl("get", kind, "--output", "name").stdout.split()}
        taken = sorted(listed("namespaces") & set(NAMESPACES))
        if taken:
            raise Failed(f"this cluster has the namespace {', '.join(taken)}: the test makes and removes it; rename yours, or use another cluster")
        definitions = {f"{kind}.rutter.dev" for kind in DEFINITIONS}
        self.made = sorted(f"crd/{name}" for name in definitions - listed("crd")) + [f"namespace/{name}" for name in NAMESPACES]

    def give_back(self):
        """Removes what the test made in a cluster that is somebody's, namespaces before the definitions of what is in them. Where it was
        refused, that is nothing."""
        for kind in DEFINITIONS:
            for namespace in [name.split("/")[1] for name in self.made if name.startswith("namespace/")]:
                for one in (self.get(kind, namespace=namespace) or {"items": []})["items"]:
                    # Nobody is there any more who would let go of it.
                    self.kubectl("patch", kind, one["metadata"]["name"], "--namespace", namespace, "--type", "merge", "--patch",
                                 '{"metadata":{"finalizers":[]}}', may_fail=True)
        for name in reversed(self.made):
            self.kubectl("delete", name, "--ignore-not-found", "--timeout=120s", may_fail=True)

    def launch(self, name, command, environment=None):
        if name not in self.names:
            self.names.append(name)
        plane.launch(self.folder, name, [str(part) for part in command], environment)

    def kill(self, name):
        """SIGKILL, as if its machine had died."""
        pid = plane.pid_of(self.folder, name)
        if pid is not None:
            os.kill(pid, 9)
            self.wait(f"{name} is gone", lambda: (plane.reap(pid), plane.pid_of(self.folder, name) is None)[1], 10)

    def down(self):
        for name in reversed(self.names):
            plane.end(self.folder, name)
        if self.given:
            self.give_back()
        else:
            plane.down(self.folder)

    def start_roles(self):
        """Queue, ledger, planners, maps and a crawler with a browser, in one process over a directory."""
        self.queue, admin = free_port(), free_port()
        settings = f"""
[storage]
directory = "{self.folder / 'rutter'}"
[services.campaigns]
endpoint = "http://127.0.0.1:{self.queue}"
[services.aggregator]
endpoint = "http://127.0.0.1:{self.queue}"
[crawler]
labels = {{ work = "done" }}
"""
        (self.folder / "rutter.toml").write_text(settings)
        self.launch("rutter", [
            self.rutter, "serve", "all", "--config", self.folder / "rutter.toml", "--listen", f"127.0.0.1:{self.queue}",
            "--admin", f"127.0.0.1:{admin}",
        ], {"RUTTER_MINILM_DIR": str(ROOT / ".cache/minilm"), "RUTTER_LOG": "warn"})
        self.wait("the roles are ready", lambda: self.http(f"http://127.0.0.1:{admin}/health/ready") == "ready\n", 90)

    def start_operator(self, name="operator", kubeconfig=None):
        self.operator_admin = admin = free_port()
        self.launch(name, [self.operator, "run", "--config", self.folder / "rutter.toml", "--admin", f"127.0.0.1:{admin}"], {
            "KUBECONFIG": str(kubeconfig or self.folder / "admin.kubeconfig"), "RUTTER_LOG": "info", "HOSTNAME": name,
            "RUTTER_OPERATOR__NAMESPACES": f'["{NAMESPACE}"]', "RUTTER_OPERATOR__LEASE_NAMESPACE": NAMESPACE,
            "RUTTER_OPERATOR__LEASE_SECONDS": "6", "RUTTER_OPERATOR__POLL_SECONDS": "0.5",
        })
        return admin

    def rutter_status(self, campaign):
        """How a campaign stands, as the command line tells it."""
        done = subprocess.run([self.rutter, "status", campaign, "--config", self.folder / "rutter.toml", "--output", "json"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"rutter status: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def http(self, url, data=None, method=None):
        try:
            request = urllib.request.Request(url, data=data, method=method)
            with urllib.request.urlopen(request, timeout=5) as answer:
                return answer.read().decode()
        except OSError:
            return None
