"""A thousand browser pods on two hundred simulated nodes (kwok) of a real control plane, with a simulated Grid: how long the operator takes to
make them, beside how long the API server takes for as many; that it cuts no live session on the way down, sessions coming and going
meanwhile; what it writes when nothing changes, and its memory.

    test_scale.py RUTTER OPERATOR FOLDER RESULTS

The scheduler gives each pod a node; kwok says of it what a kubelet would say. No container runs.
"""

import json
import os
import pathlib
import sys
import time

import control_plane as plane
import node
import plane_checks
from api import Api
from bench import NAMESPACE, Bench, Failed, free_port
from control_plane import ROOT, last_words
from test_operator import campaign, memory_mib, steady, tasks_at

PODS, NODES = int(os.environ.get("SCALE_PODS", "1000")), int(os.environ.get("SCALE_NODES", "200"))
KWOK = ROOT / ".cache/kube/kwok"
CAMPAIGNS = 3
SECRET = "registration"
SELECTOR = "rutter.dev/fleet=scale"


class Nodes:
    """The Grid's nodes: what the hub hears of those pods that run."""

    def __init__(self, bench, api, hub):
        self.bench, self.api, self.hub = bench, api, hub

    def follow(self):
        there = self.api.pods(NAMESPACE, SELECTOR)
        told = {name: {"host": pod["status"]["podIP"]} for name, pod in there.items() if pod["status"].get("podIP")}
        self.bench.http(f"{self.hub}/nodes", json.dumps(told).encode(), "PUT")
        return there

    def running(self):
        return {name: pod for name, pod in self.follow().items() if pod["status"].get("phase") == "Running"}

    def sessions(self, begin, end):
        """The hub begins and ends sessions. The nodes that hold one."""
        return set(json.loads(self.bench.http(f"{self.hub}/sessions", json.dumps({"begin": begin, "end": end}).encode(), "POST")))


def machines(bench, api):
    """Nodes, of which kwok says that they are ready."""
    bench.launch("kube-scheduler", plane.scheduler(bench.folder, node.PROGRAM))
    bench.launch("kwok", [KWOK, f"--kubeconfig={bench.folder / 'admin.kubeconfig'}", f"--config={ROOT / 'deploy/kube/kwok.yaml'}",
                          "--manage-all-nodes=true", "--cidr=10.128.0.0/9", "--node-lease-duration-seconds=40"])
    room = {"cpu": "32", "memory": "128Gi", "pods": "110"}
    for number in range(NODES):
        api.make_node({"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"node-{number}"}, "status": {"capacity": room, "allocatable": room},
                       "spec": {"podCIDR": f"10.{128 + number // 256}.{number % 256}.0/24"}})
    ready = lambda: bench.kubectl("get", "nodes", "--no-headers").stdout.split().count("Ready")
    bench.wait(f"{NODES} nodes are ready", lambda: ready() == NODES, 120, 1)
    bench.say(f"{NODES} nodes are ready")


def taken_by_the_api_server(bench, api, template):
    """Seconds for as many pods of the same content, made one after the other by a client that does nothing else."""
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "alone-"}, **template}
    began = time.monotonic()
    names = [api.make_pod("alone", pod) for _ in range(PODS)]
    took = time.monotonic() - began
    for name in names:
        api.delete_pod("alone", name)
    bench.wait("and they are gone", lambda: not api.ask("GET", "/api/v1/namespaces/alone/pods?limit=1")["items"], 120, 1)
    return took


def run(bench, results):
    bench.up()
    plane_checks.prepare(bench)
    kubeconfig = plane_checks.least_privilege(bench)
    api = Api(bench.folder, plane.ports(bench.folder)["apiserver"])
    machines(bench, api)
    bench.kubectl("create", "namespace", "alone")
    template = {"spec": {"containers": [{"name": "browser", "image": "localhost/rutter/browser:test", "imagePullPolicy": "Never"}], "restartPolicy": "Never"}}
    alone = taken_by_the_api_server(bench, api, template)
    bench.say(f"{PODS} pods made by a client alone: {alone:.1f} s")
    port, site = free_port(), free_port()
    hub = f"http://127.0.0.1:{port}"
    bench.launch("grid", [sys.executable, "-B", str(ROOT / "deploy/kube/simulated_grid.py"), str(port), SECRET])
    bench.start_roles()
    bench.start_operator(kubeconfig=kubeconfig)
    bench.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "grid", "namespace": NAMESPACE}, "stringData": {"secret": SECRET}})
    bench.create({"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": "browser", "namespace": NAMESPACE}, "template": template})
    pool = {"podTemplate": "browser", "grid": {"url": hub, "registrationSecret": {"name": "grid", "key": "secret"}},
            "max": PODS, "scaleDownAfterSeconds": 2, "drainSeconds": 3600}
    bench.create({"apiVersion": "rutter.dev/v1alpha1", "kind": "Fleet", "metadata": {"name": "scale", "namespace": NAMESPACE}, "spec": {"browsers": pool}})
    jobs = PODS // CAMPAIGNS + 50
    for number in range(CAMPAIGNS):
        names = [f"job-{number}-{job}" for job in range(jobs)]
        bench.create(campaign(f"large-{number}", {"tasks": {"inline": tasks_at(site, names)}, "labels": {}}))
    nodes = Nodes(bench, api, hub)
    first = bench.wait("the first browser is made", lambda: api.pods(NAMESPACE, SELECTOR) and time.monotonic(), 60, 0.05)
    bench.wait(f"{PODS} browsers are made", lambda: len(api.pods(NAMESPACE, SELECTOR)) == PODS, 300, 0.2)
    took = time.monotonic() - first
    bench.say(f"{PODS} pods made by the operator: {took:.1f} s")
    bench.wait("and all have a node and serve", lambda: len(nodes.running()) == PODS, 300, 1)
    ran = time.monotonic() - first
    used = len({pod["spec"]["nodeName"] for pod in nodes.running().values()})
    bench.say(f"all of them run on {used} nodes: {ran:.1f} s")
    resident = memory_mib(bench)
    writes = steady(bench)

    nodes.follow()
    bench.check("a third of them hold a session", len(nodes.sessions(PODS // 3, 0)) == PODS // 3)
    began = time.monotonic()
    for number in range(CAMPAIGNS):
        bench.kubectl("delete", "campaign", f"large-{number}", "--namespace", NAMESPACE, "--timeout=60s")
    bench.wait("all without a session go, while others begin and end", lambda: set(nodes.follow()) <= nodes.sessions(3, 0.02), 300, 0.5)
    down = time.monotonic() - began
    bench.wait("the others when theirs have ended", lambda: nodes.sessions(0, 0.3) is not None and not nodes.follow(), 300, 1)
    counts = json.loads(bench.http(f"{hub}/counts"))
    bench.check("no node was deleted with a live session", counts["live_sessions_deleted"] == 0, counts)
    resident = max(resident, memory_mib(bench))
    bench.check("the operator stays below 128 MiB", resident <= 128, resident)
    results.write_text(json.dumps({
        "nodes": NODES, "browser_pods": PODS, "campaigns": CAMPAIGNS, "api_server_alone_s": round(alone, 1), "target_reached_s": round(took, 1),
        "running_s": round(ran, 1),
        "drained_s": round(down, 1), "live_sessions_deleted": counts["live_sessions_deleted"], "steady_state_writes": writes,
        "operator_rss_mib": resident,
    }, indent=1) + "\n")
    print(results.read_text(), end="", flush=True)


def main(arguments):
    rutter, operator, folder, results = (pathlib.Path(argument).resolve() for argument in arguments)
    results.mkdir(parents=True, exist_ok=True)
    bench = Bench(folder, rutter, operator)
    try:
        run(bench, results / "kube-scale.json")
    except Failed as failure:
        bench.failed.append(str(failure))
        bench.say(f"FAILED  {failure}")
    finally:
        if bench.failed:
            print(f"last words of the operator:\n{last_words(bench.folder, 'operator')}", flush=True)
        bench.down()
    print(f"{len(bench.passed)} passed, {len(bench.failed)} failed")
    sys.exit(1 if bench.failed else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
