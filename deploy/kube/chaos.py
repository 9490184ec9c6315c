"""Faults on a real cluster of one node while campaigns run: an older chart upgraded to this one, every kind of pod deleted, processes
killed, crawlers scaled down, the chart upgraded once more, API server and operator ended; then the same release with browsers in pods of their
own and TLS between the roles, and what can happen to those. Each fault has a Campaign of its own, and afterwards every job has one verdict and the
ledger's totals are those of the outcomes. Needs root.

    chaos.py RUTTER OPERATOR FOLDER RESULTS
"""

import json
import pathlib
import re
import shutil
import signal
import sys
import time

import control_plane as plane
import demo
import miniwob
import node
import place
from bench import NAMESPACE, ROOT, Failed
from demo import CHART, RELEASE, Demo
from control_plane import last_words

PART = "app.kubernetes.io/component"
KINDS = ["campaigns", "aggregator", "planner", "graph", "crawler", "operator", "kafka", "redis", "postgres"]
# The chart that is installed first. The images are those of today.
OLDER, OLDER_VALUES = ROOT / "deploy/kube/older/rutter-0.1.0.tgz", ROOT / "deploy/kube/older/values.yaml"
# The totals count attempts that were lost for reasons of their surroundings. A fault that ends a crawler or a browser without asking may
# cost the attempts under way; every other costs none.
ROUGH = {"kill the crawler's process", "kill the browser's processes", "kill the processes of a pod of browsers", "delete a pod: grid"}
CHART_NAME = "rutter-" + re.search(r"^version: (.*)", (CHART / "Chart.yaml").read_text(), re.M)[1]
# Jobs that have ended when a fault comes.
UNDER_WAY = 3


def pods(bench, part):
    listed = json.loads(bench.kubectl("get", "pods", "--namespace", NAMESPACE, "--selector", f"{PART}={part}", "--output", "json").stdout)["items"]
    return [pod for pod in listed if "deletionTimestamp" not in pod["metadata"]]


def delete(part):
    def strike(bench):
        bench.kubectl("delete", "pod", pods(bench, part)[0]["metadata"]["name"], "--namespace", NAMESPACE, "--wait=false")
    return strike


def kill(part, container):
    """SIGKILL to every process of one container."""
    def strike(bench):
        pod = pods(bench, part)[0]
        before = containers(pod)[container]
        running = before["containerID"].rsplit("/", 1)[1]
        group = next(node.CGROUPS.glob(f"memory/kubepods/**/{running}"), None) or next(node.CGROUPS.glob(f"kubepods/**/{running}"))
        for pid in (group / "cgroup.procs").read_text().split():
            node.kill(int(pid))
        bench.wait(f"{container} is started again, or its pod replaced", lambda: has_ended(bench.get("pod", pod["metadata"]["name"]), container, before))
    return strike


def has_ended(pod, container, before):
    """Whether a container was started again; a pod that is not started again has failed, and may be gone."""
    return pod is None or pod["status"]["phase"] == "Failed" or containers(pod)[container]["restartCount"] > before["restartCount"]


def containers(pod):
    status = pod["status"]
    return {one["name"]: one for one in [*status["containerStatuses"], *status.get("initContainerStatuses", [])]}


def scale(bench, replicas):
    bench.kubectl("scale", "deployment", f"{RELEASE}-crawler", "--namespace", NAMESPACE, f"--replicas={replicas}")


def upgrade_older(bench):
    # Helm installs definitions of resources and never changes them.
    bench.kubectl("apply", "--server-side", "--force-conflicts", "--filename", str(CHART / "crds"))
    bench.helm("upgrade", RELEASE, str(CHART), *values(), "--wait", "--timeout", "10m")


def upgrade(bench):
    """Another set of settings is another pod of every role."""
    bench.helm("upgrade", RELEASE, str(CHART), *values(), "--set", "blobs.retentionHours=240", "--wait", "--timeout", "10m")


def restart_api_server(bench):
    plane.end(bench.folder, "kube-apiserver")
    plane.start(bench.folder, "kube-apiserver")


def browsers(bench, most):
    # By the chart's values: what is patched by hand belongs to whoever patched it, and an upgrade does not take it away.
    bench.helm("upgrade", RELEASE, str(CHART), *values(), *APART, "--set", f"fleet.browsers.max={most}")


def fewer_browsers(bench):
    browsers(bench, 1)
    drained = lambda pod: "rutter.dev/draining-since" in pod["metadata"].get("annotations", {})
    bench.wait("a pod with a browser is drained", lambda: any(map(drained, pods(bench, "grid-node"))))


def other_browsers(bench):
    """Another template of pods with browsers: each is drained, and replaced."""
    bench.helm("upgrade", RELEASE, str(CHART), *values(), *APART, "--set", "browser.sharedMemory=384Mi", "--wait", "--timeout", "10m")


def of_a_deployment(bench):
    """Nodes that Kubernetes replaces by itself, and nobody drains but their own end."""
    bench.helm("upgrade", RELEASE, str(CHART), *values(), *APART, "--set", "fleet.browsers.enabled=false", "--wait", "--timeout", "10m")


FAULTS = [
    ("upgrade an older chart", upgrade_older),
    *[(f"delete a pod: {part}", delete(part)) for part in KINDS],
    ("kill the crawler's process", kill("crawler", "crawler")),
    ("kill the browser's processes", kill("crawler", "browser")),
    ("kill the operator's process", kill("operator", "operator")),
    ("fewer crawlers", lambda bench: scale(bench, 1)),
    ("upgrade the chart", upgrade),
    ("restart the API server", restart_api_server),
]
# What is struck once browsers stand in pods of their own.
FAULTS_APART = [
    ("browsers in pods of their own", lambda bench: None),
    ("delete a pod: crawler, its browser elsewhere", delete("crawler")),
    ("delete a pod: grid-node", delete("grid-node")),
    ("kill the processes of a pod of browsers", kill("grid-node", "node")),
    ("delete a pod: grid", delete("grid")),
    ("fewer browsers", fewer_browsers),
    ("other pods of browsers", other_browsers),
    ("nodes of a Deployment", of_a_deployment),
    ("delete a pod: grid-node of a Deployment", delete("grid-node")),
]
# A node that is asked to end waits for the sessions that it holds.
APART = ["--values", str(demo.APART), "--set", "grid.nodes.drainSeconds=180"]
# The most browsers of `demo.APART`.
MOST = 2


def values():
    return ["--values", str(place.VALUES), "--set", "bundled.persistent=true"]


def settle(bench):
    """Waits until everything runs again as it is declared."""
    if bench.has_tls:
        pool = ((bench.get("fleet", RELEASE) or {}).get("spec") or {}).get("browsers")
        if pool and pool["max"] < MOST:
            browsers(bench, MOST)
    elif bench.get("deployment", f"{RELEASE}-crawler")["spec"]["replicas"] < 2:
        scale(bench, 2)
    for kind in ("deployment", "statefulset"):
        for one in bench.get(kind)["items"]:
            bench.kubectl("rollout", "status", f"{kind}/{one['metadata']['name']}", "--namespace", NAMESPACE, "--timeout=300s")


def endure(bench, number, what, strike, instructions):
    """One fault in the middle of a campaign, and what the campaign came to."""
    name = f"fault-{number}"
    demo.hand_in(bench, name, miniwob.tasks(f"http://{bench.place.sites}", instructions))
    demo.follow(bench, name, enough=UNDER_WAY)
    strike(bench)
    status = demo.follow(bench, name, enough=len(instructions) + 1, patience=600)
    settle(bench)
    found = demo.results(bench, status["campaign"])
    verdicts = [one["verdict"] for one in found["outcomes"]]
    counted = {}
    for _, cell in found["totals"]["cells"]:
        for verdict, count in cell["verdicts"].items():
            counted[verdict] = counted.get(verdict, 0) + count
    told = {
        "name": what, "jobs": len(instructions), "outcomes": len({one["job"] for one in found["outcomes"]}), "passed": verdicts.count("PASSED"),
        "totals_equal": counted == {verdict: verdicts.count(verdict) for verdict in set(verdicts)} and len(verdicts) == len(instructions),
        "sessions_cut": found["totals"]["lost_attempts"],
    }
    bench.check(f"{what}: every job has one verdict", told["outcomes"] == told["jobs"] == len(verdicts), told)
    bench.check(f"{what}: totals are exact", told["totals_equal"], told)
    bench.check(f"{what}: every job passed", told["passed"] == told["jobs"], told)
    if what not in ROUGH:
        bench.check(f"{what}: no session was cut", told["sessions_cut"] == 0, told)
    bench.say(f"{what}: {told['passed']} of {told['jobs']} passed, {told['sessions_cut']} attempts lost")
    bench.kubectl("delete", "campaign", name, "--namespace", NAMESPACE, "--timeout=60s")
    return told


def chart_of(bench):
    """Name and version of the chart that is installed."""
    return json.loads(bench.helm("list", "--output", "json"))[0]["chart"]


def run(bench, faults):
    shutil.rmtree(bench.folder, ignore_errors=True)
    bench.folder.mkdir(parents=True)
    instructions, _ = demo.embedded(bench)
    # Two seeds of each task: enough to be in the middle of.
    instructions = {job: words for job, words in instructions.items() if not job.endswith("/2")}
    bench.place.up(bench, ["rutter", "browser", "servers", "grid"])
    demo.prepare(bench)
    for server in ("kafka", "redis", "postgres"):
        bench.place.volume(bench, f"data-{RELEASE}-{server}-0")
    bench.launch("site", [sys.executable, "-B", ROOT / "deploy/kube/miniwob.py", *bench.place.serves])
    bench.helm("install", RELEASE, str(OLDER), *values(), "--values", str(OLDER_VALUES), "--wait", "--timeout", "10m")
    bench.say(f"{chart_of(bench)} is installed")
    demo.hand_in(bench, "before", miniwob.tasks(f"http://{bench.place.sites}", instructions))
    earlier = demo.follow(bench, "before")["campaign"]
    came_of_it = demo.results(bench, earlier)
    for number, (what, strike) in enumerate(FAULTS):
        faults.append(endure(bench, number, what, strike, instructions))
        if strike is upgrade_older:
            bench.check("the upgraded chart is the present one", chart_of(bench) == CHART_NAME, chart_of(bench))
    demo.certificates(bench)
    bench.helm("upgrade", RELEASE, str(CHART), *values(), *APART, "--wait", "--timeout", "10m")
    bench.has_tls = True
    for number, (what, strike) in enumerate(FAULTS_APART, len(FAULTS)):
        faults.append(endure(bench, number, what, strike, instructions))
    told = bench.kubectl("get", "events", "--namespace", NAMESPACE, "--output", "json").stdout
    bench.check("no pod with browsers was deleted with a session", "was deleted with sessions" not in told, told)
    found = demo.results(bench, earlier)
    bench.check("the results of the older chart's campaign are kept through all of it", found == came_of_it, found)


def main(arguments):
    rutter, operator, folder, output = (pathlib.Path(argument).resolve() for argument in arguments)
    output.mkdir(parents=True, exist_ok=True)
    bench, faults = Demo(folder, rutter, operator), []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        run(bench, faults)
    except Failed as failure:
        bench.failed.append(str(failure))
        bench.say(f"FAILED  {failure}")
        print(plane.kubectl(folder, "get", "pods", "--all-namespaces", "--output", "wide").stdout, flush=True)
    finally:
        if bench.failed:
            print(f"last words of kubelet:\n{last_words(folder, 'kubelet')}", flush=True)
        demo.clean(bench)
        (output / "kube-chaos.json").write_text(json.dumps({"faults": faults}, indent=1) + "\n")
    minutes = round((time.monotonic() - bench.began) / 60, 1)
    print(f"{len(bench.passed)} passed, {len(bench.failed)} failed, {minutes} minutes")
    sys.exit(1 if bench.failed else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
