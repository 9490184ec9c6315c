"""The API server's and the operator's part of Kubernetes, on a real API server: what is refused, campaigns, schedules, fleets, who
leads, what it may do, and that nothing is written while nothing changes.

    test_operator.py RUTTER OPERATOR FOLDER RESULTS

With KUBECONFIG it works on that cluster, in namespaces of its own that it removes again.
"""

import json
import os
import pathlib
import sys
import time

import fleets
import plane_checks
import refused
import schedules
from bench import DONE, NAMESPACE, Bench, Failed, free_port
from control_plane import ROOT, last_words


def tasks_at(port, names=("basket",)):
    """A task file for the site of deploy/kube/site.py."""
    lines = ["tasks:"]
    for name in names:
        lines += [
            f"  - id: {name}", f"    start_url: http://127.0.0.1:{port}/", "    instruction: Click the button \"Add to basket\"",
            "    check: {text: {contains: In the basket}}",
        ]
    return "\n".join(lines) + "\n"


def check_refused(bench):
    bench.kubectl("create", "namespace", "refused")
    accepted = 0
    for number, (what, kind, change, *rest) in enumerate(refused.REFUSED):
        name, updates, words = f"no-{number}", rest[:-1], rest[-1]
        resource = refused.resource(kind, name, "refused", change)
        if updates:
            bench.kubectl("create", "--filename", "-", given=resource)
            accepted += 1
            done = bench.kubectl("patch", kind.lower(), name, "--namespace", "refused", "--type", "merge", "--patch",
                                 json.dumps({"spec": updates[0]}), may_fail=True)
        else:
            done = bench.kubectl("create", "--filename", "-", given=resource, may_fail=True)
        said = done.stderr.strip()
        bench.check(f"refused: {what}", done.returncode != 0 and words in said, said or "it was accepted")
    for kind in refused.VALID:
        done = bench.kubectl("create", "--dry-run=server", "--filename", "-", given=refused.resource(kind, "valid", "refused", {}), may_fail=True)
        bench.check(f"accepted: a valid {kind}", done.returncode == 0, done.stderr.strip())
    bench.say(f"{len(refused.REFUSED)} invalid resources refused by the API server, {accepted} of them as updates")


def check_documented(bench):
    """Every resource of the documentation is one that the API server takes."""
    page = (ROOT / "docs/kubernetes.md").read_text()
    blocks = [block.split("\n```", 1)[0] for block in page.split("```yaml\n")[1:]]
    for block in blocks:
        done = bench.kubectl("create", "--dry-run=server", "--namespace", NAMESPACE, "--filename", "-", given=block, may_fail=True)
        bench.check(f"documented: {block.splitlines()[1]}", done.returncode == 0, done.stderr.strip())
    bench.check("there are documented resources", len(blocks) >= 3, blocks)


def campaign(name, spec):
    """A campaign that is worked through, unless its labels say otherwise."""
    spec = {"labels": DONE, **spec}
    return {"apiVersion": "rutter.dev/v1alpha1", "kind": "Campaign", "metadata": {"name": name, "namespace": NAMESPACE}, "spec": spec}


def phase(bench, name):
    return ((bench.get("campaign", name) or {}).get("status") or {}).get("phase")


def check_campaigns(bench, site):
    bench.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "shop", "namespace": NAMESPACE},
                  "data": {"shop.yaml": tasks_at(site, ("one", "two"))}})
    bench.create(campaign("first", {"tasks": {"configMap": {"name": "shop", "key": "shop.yaml"}}, "results": {"configMap": "first-results"}}))
    bench.wait("a campaign of a ConfigMap succeeds", lambda: phase(bench, "first") == "Succeeded", 90)
    told = bench.get("campaign", "first")["status"]
    bench.check("its status says what became of its jobs",
                (told["progress"], told["passed"], told["message"], told["verdicts"]) == ("2/2", 2, "2 of 2 passed", {"PASSED": 2}), told)
    bench.kubectl("wait", "--for=condition=Succeeded", "campaign/first", "--namespace", NAMESPACE, "--timeout=5s")
    results = json.loads(bench.get("configmap", "first-results")["data"]["results.json"])
    bench.check("its results stand in the ConfigMap that it names", results["campaign"].startswith(f"{NAMESPACE}.first."), results)
    print(bench.kubectl("get", "campaigns", "--namespace", NAMESPACE).stdout, end="", flush=True)

    bench.create(campaign("theirs", {"project": "payments", "tasks": {"inline": tasks_at(site)}}))
    bench.wait("a campaign of another project in the same namespace succeeds", lambda: phase(bench, "theirs") == "Succeeded", 40)
    queued = bench.get("campaign", "theirs")["status"]["campaign"]
    bench.check("and is one of that project", queued.startswith(f"payments::{NAMESPACE}.theirs."), queued)

    bench.create(campaign("wrong", {"tasks": {"inline": "tasks:\n  - {id: a, start_url: shop.example, instruction: Buy}\n"}}))
    bench.wait("a mistake in a text is told", lambda: phase(bench, "wrong") == "Invalid", 20)
    message = bench.get("campaign", "wrong")["status"]["message"]
    bench.check("with its place", "tasks.inline:2" in message, message)
    condition = bench.get("campaign", "wrong")["status"]["conditions"][0]["message"]
    bench.check("and a hint", "did you mean `https://shop.example`?" in condition, condition)

    bench.create(campaign("waits", {"tasks": {"configMap": {"name": "later", "key": "t.yaml"}}}))
    bench.wait("a ConfigMap that is not there is waited for", lambda: "ConfigMap `later`" in
               ((bench.get("campaign", "waits").get("status") or {}).get("message") or ""), 20)
    bench.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "later", "namespace": NAMESPACE}, "data": {"t.yaml": tasks_at(site)}})
    bench.wait("and found when it comes", lambda: phase(bench, "waits") == "Succeeded", 40)

    bench.create(campaign("paused", {"tasks": {"inline": tasks_at(site, ("a", "b"))}, "labels": {}}))
    bench.wait("jobs that no crawler takes wait, and say for what", lambda: "2 jobs wait for a free crawler or browser" ==
               ((bench.get("campaign", "paused").get("status") or {}).get("message")), 20)
    bench.patch("campaign", "paused", {"spec": {"wish": "Pause"}})
    bench.wait("a campaign is paused", lambda: phase(bench, "paused") == "Paused", 20)
    queued = bench.get("campaign", "paused")["status"]["campaign"]
    bench.kubectl("delete", "campaign", "paused", "--namespace", NAMESPACE, "--timeout=20s")
    said = bench.rutter_status(queued)
    bench.check("a deleted campaign is cancelled in the queue before it goes", said["tally"]["cancelled"] == 2, said)
    events = [event["reason"] for event in bench.get("events")["items"] if event["involvedObject"]["name"] == "first"]
    bench.check("its events tell its phases", "Succeeded" in events, events)
    bench.say("campaigns: from a ConfigMap and inline, waiting, invalid, paused, cancelled by deletion")


def steady(bench, seconds=15):
    """Nothing is written while nothing changes."""
    time.sleep(3)
    before = bench.writes()
    time.sleep(seconds)
    count = int(bench.writes() - before)
    bench.check("nothing is written while nothing changes", count == 0, f"{count} writes in {seconds} s")
    return count


def memory_mib(bench, name="operator"):
    pid = json.loads((bench.folder / f"{name}.pid").read_text())["pid"]
    line = next(line for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return round(int(line.split()[1]) / 1024, 1)


def run(bench, results):
    bench.up()
    check_refused(bench)
    check_documented(bench)
    plane_checks.prepare(bench)
    kubeconfig = plane_checks.least_privilege(bench)
    plane_checks.rendered(bench)
    site = free_port()
    bench.launch("site", [sys.executable, "-B", str(ROOT / "deploy/kube/site.py"), "127.0.0.1", str(site)])
    bench.start_roles()
    bench.start_operator(kubeconfig=kubeconfig)
    check_campaigns(bench, site)
    figures = fleets.check(bench, tasks_at, campaign, site)
    schedules.check(bench, tasks_at(site), kubeconfig)
    plane_checks.leadership(bench, lambda name: campaign(name, {"tasks": {"inline": tasks_at(site)}}), phase, kubeconfig)
    figures["steady_state_writes"] = steady(bench)
    figures["operator_rss_mib"] = memory_mib(bench, "operator-2")
    bench.check("the operator stays below 128 MiB", figures["operator_rss_mib"] <= 128, figures)
    results.write_text(json.dumps({**figures, "refused": len(refused.REFUSED), "checks": len(bench.passed)}, indent=1) + "\n")


def main(arguments):
    rutter, operator, folder, results = (pathlib.Path(argument).resolve() for argument in arguments)
    results.mkdir(parents=True, exist_ok=True)
    bench = Bench(folder, rutter, operator, os.environ.get("KUBECONFIG"))
    try:
        run(bench, results / "kube-operator.json")
    except Failed as failure:
        bench.failed.append(str(failure))
        bench.say(f"FAILED  {failure}")
    finally:
        if bench.failed:
            for name in ("operator", "operator-2", "rutter"):
                print(f"last words of {name}:\n{last_words(bench.folder, name)}", flush=True)
        bench.down()
    print(f"{len(bench.passed)} passed, {len(bench.failed)} failed")
    sys.exit(1 if bench.failed else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
