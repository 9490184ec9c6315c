"""Fleets on a real API server with a simulated Grid: browser nodes follow what waits and what hosts allow, are drained before they
are deleted, and no live session is ever cut."""

import base64
import json
import sys
import time

from bench import NAMESPACE, free_port
from control_plane import ROOT

SECRET = "registration"
JOBS = 12


def pods(bench):
    labelled = bench.kubectl("get", "pods", "--namespace", NAMESPACE, "--selector", "rutter.dev/fleet=browsers", "--output", "json")
    return {pod["metadata"]["name"]: pod for pod in json.loads(labelled.stdout)["items"] if "deletionTimestamp" not in pod["metadata"]}


class Nodes:
    """What a kubelet and a Grid's node would do for each pod: an address, readiness, sessions."""

    def __init__(self, bench, hub):
        self.bench, self.hub, self.sessions, self.addresses = bench, hub, {}, {}

    def follow(self):
        there = pods(self.bench)
        for name in there:
            if name not in self.addresses:
                self.addresses[name] = f"10.244.0.{len(self.addresses) + 1}"
                ip = self.addresses[name]
                status = {"phase": "Running", "podIP": ip, "podIPs": [{"ip": ip}], "conditions": [{"type": "Ready", "status": "True"}]}
                self.bench.patch("pod", name, {"status": status}, "--subresource=status")
        told = {name: {"host": self.addresses[name], "sessions": self.sessions.get(name, 0)} for name in there}
        self.bench.http(f"{self.hub}/nodes", json.dumps(told).encode(), "PUT")
        return there

    def counts(self):
        return json.loads(self.bench.http(f"{self.hub}/counts"))


def fleet_message(bench):
    return ((bench.get("fleet", "browsers") or {}).get("status") or {}).get("message", "")


def check(bench, tasks_at, campaign, site):
    port = free_port()
    hub = f"http://127.0.0.1:{port}"
    bench.launch("grid", [sys.executable, "-B", str(ROOT / "deploy/kube/simulated_grid.py"), str(port), SECRET])
    container = {"name": "browser", "image": "rutter/browser:test", "imagePullPolicy": "Never"}
    # In a cluster that has nodes none of them may take these pods: the test says of them what a kubelet would say.
    nowhere = {"schedulerName": "nobody"}
    secret = base64.b64encode(SECRET.encode()).decode()
    pool = {"podTemplate": "browser", "grid": {"url": hub, "registrationSecret": {"name": "grid", "key": "secret"}},
            "max": 10, "scaleDownAfterSeconds": 2, "drainSeconds": 3600}
    labels = {"app": "crawler"}
    for resource in (
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "grid", "namespace": NAMESPACE}, "data": {"secret": secret}},
        {"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": "browser", "namespace": NAMESPACE},
         "template": {"metadata": {"labels": {"app": "browser"}}, "spec": {**nowhere, "containers": [container], "restartPolicy": "Never"}}},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "rutter-crawler", "namespace": NAMESPACE},
         "spec": {"replicas": 0, "selector": {"matchLabels": labels},
                  "template": {"metadata": {"labels": labels}, "spec": {**nowhere, "containers": [container]}}}},
        {"apiVersion": "rutter.dev/v1alpha1", "kind": "Fleet", "metadata": {"name": "browsers", "namespace": NAMESPACE},
         "spec": {"browsers": pool, "crawlers": {"deployment": "rutter-crawler", "max": 5, "slots": 4, "scaleDownAfterSeconds": 2}}},
    ):
        bench.create(resource)
    nodes = Nodes(bench, hub)
    bench.wait("with nothing to do there is no browser", lambda: fleet_message(bench) == "nothing waits", 20)
    bench.check("none at all", not pods(bench))

    names = [f"job-{number}" for number in range(JOBS)]
    spec = {"tasks": {"inline": tasks_at(site, names)}, "labels": {}}
    # One page load a second leaves work for two browsers at a rate of 2, however many jobs there are.
    bench.create(campaign("polite", {**spec, "rates": [{"host": f"127.0.0.1:{site}", "perSecond": 2}]}))
    bench.wait("a polite rate lets two browsers work", lambda: len(nodes.follow()) == 2, 30)
    bench.wait("and the fleet says so", lambda: "10 wait for the polite rate of their hosts" in fleet_message(bench), 20)
    time.sleep(2)
    bench.check("and starts no more", len(nodes.follow()) == 2, len(pods(bench)))
    bench.kubectl("delete", "campaign", "polite", "--namespace", NAMESPACE, "--timeout=20s")

    began = time.monotonic()
    bench.create(campaign("busy", spec))
    bench.wait("work brings as many browsers as may be", lambda: len(nodes.follow()) == pool["max"], 30)
    took = time.monotonic() - began
    bench.wait("and says what bounds them", lambda: "at most 10 (`max`)" in fleet_message(bench), 20)
    bench.wait("and as many crawlers as serve it", lambda: bench.get("deployment", "rutter-crawler")["spec"]["replicas"] == 3, 20)

    live = sorted(nodes.follow())[:4]
    nodes.sessions = {name: 1 for name in live}
    nodes.follow()
    bench.kubectl("delete", "campaign", "busy", "--namespace", NAMESPACE, "--timeout=20s")
    bench.wait("nodes without a session are drained and deleted", lambda: sorted(nodes.follow()) == live, 30)
    annotations = [pod["metadata"]["annotations"] for pod in pods(bench).values()]
    bench.wait("those with one are drained", lambda: all("rutter.dev/draining-since" in pod["metadata"]["annotations"]
                                                         for pod in nodes.follow().values()), 20)
    time.sleep(3)
    bench.check("and stay while it lives", sorted(nodes.follow()) == live, annotations)
    nodes.sessions = {name: 1 for name in live[:1]}
    bench.wait("each goes when its session has ended", lambda: sorted(nodes.follow()) == live[:1], 20)
    nodes.sessions = {}
    bench.wait("to zero", lambda: not nodes.follow(), 20)
    bench.wait("crawlers too", lambda: bench.get("deployment", "rutter-crawler")["spec"]["replicas"] == 0, 20)
    counts = nodes.counts()
    bench.check("no node was deleted with a live session", counts["live_sessions_deleted"] == 0, counts)
    bench.check("every node that went was drained", counts["drains"] == pool["max"] and counts["refused"] == 0, counts)
    # Later checks bring work, too.
    bench.kubectl("delete", "fleet", "browsers", "--namespace", NAMESPACE, "--timeout=20s")
    bench.say(f"fleets: {pool['max']} browser pods in {took:.1f} s, drained to zero, no live session cut")
    return {"browser_pods": pool["max"], "target_reached_s": round(took, 1), "live_sessions_deleted": counts["live_sessions_deleted"]}
