"""Rutter on a real cluster of one node: the chart installed with its bundled servers, the benchmark's dozen tasks as a Campaign, with a
browser beside each crawler and once more with browsers in pods of their own behind a Grid and TLS between the roles, every verdict compared
with that of one process, and everything removed again. Needs root.

    demo.py RUTTER OPERATOR FOLDER RESULTS

With KUBECONFIG it works on that cluster without root (place.py says what else it has to know), and does not try who reaches whom.
"""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import control_plane as plane
import miniwob
import reach
from bench import NAMESPACE, ROOT, Bench, Failed, free_port
from control_plane import last_words
from place import place

RELEASE = "rutter"
HELM = ROOT / ".cache/bin/helm"
CHART, APART = ROOT / "helm/rutter", ROOT / "deploy/kube/apart.yaml"
CAMPAIGN, SECOND, THIRD = "miniwob", "miniwob-apart", "miniwob-given"
# The Secret that roles find their certificate in, and the roles that it is for.
TLS, ROLES = "rutter-tls", ["campaigns", "aggregator", "graph", "planner"]
# A password that a site asks for: where the cluster keeps it, and the name by which tasks know it.
SHOP, PASSWORD, LOGIN = "shop", "correct horse", "shop-login"
# What `helm uninstall` leaves by design: results and the token outlive a release.
KEPT = {"secret/rutter-token", "persistentvolumeclaim/rutter-blobs"}


class Demo(Bench):
    """A bench with nodes, and with the minutes that each part took."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.place, self.has_tls = place(self.given), False
        self.minutes, self.part_began = {}, time.monotonic()

    def part(self, name):
        """Ends a part of the demo."""
        now = time.monotonic()
        self.minutes[name] = round((now - self.part_began) / 60, 1)
        self.say(f"{name}: {self.minutes[name]} min")
        self.part_began = now

    def helm(self, *arguments):
        environment = {**os.environ, "KUBECONFIG": str(self.folder / "admin.kubeconfig"), "HELM_CACHE_HOME": str(self.folder / "helm")}
        done = subprocess.run([HELM, *arguments, "--namespace", NAMESPACE], capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            raise Failed(f"helm {arguments[0]}: {done.stderr.strip()}")
        return done.stdout

    def down(self):
        for name in reversed(self.names):
            plane.end(self.folder, name)
        self.place.down(self)


def embedded(bench):
    """The tasks in one process: `{job: instruction}` and `{job: verdict}`."""
    run = bench.folder / "embedded"
    done = subprocess.run(
        [bench.rutter, "bench", "miniwob", "--suite", "demo", "--seeds", "0..3", "--workers", "2", "--relaxed", "--run-dir", run],
        capture_output=True, text=True,
        env={**os.environ, "RUTTER_MINIWOB_DIR": str(miniwob.PAGES), "RUTTER_MINILM_DIR": str(ROOT / ".cache/minilm")},
    )
    if done.returncode != 0:
        raise Failed(f"rutter bench: {done.stderr.strip()}")
    with open(run / "trajectories.jsonl") as lines:
        found = [json.loads(line) for line in lines]
    return {one["job"]: one["instruction"] for one in found}, {one["job"]: one["verdict"]["kind"] for one in found}


def prepare(bench):
    """A namespace that takes restricted pods only, and a volume for results."""
    bench.kubectl("create", "namespace", NAMESPACE)
    bench.kubectl("label", "namespace", NAMESPACE, "pod-security.kubernetes.io/enforce=restricted")
    bench.place.volume(bench, f"{RELEASE}-blobs")
    bench.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": SHOP, "namespace": NAMESPACE}, "stringData": {"password": PASSWORD}})


def shop(bench):
    """The origin of the site that asks for a password."""
    host, _, port = bench.place.sites.rpartition(":")
    return f"http://{host}:{int(port) + 1}"


def values(bench):
    known = [{"name": LOGIN, "secret": {"name": SHOP, "key": "password"}, "origins": [shop(bench)]}]
    return [*bench.place.values, "--set-json", f"crawler.siteSecrets={json.dumps(known)}"]


def logs_in(bench):
    """A task types a password that the cluster keeps, and a task of another site gets none."""
    lines = ["tasks:"]
    for name, start in (("its-own", f"{shop(bench)}/log-in"), ("another", f"http://{bench.place.sites}/")):
        lines += [f"  - id: {name}", f"    start_url: {start}", "    instruction: Log in as {user} with the password {password}.",
                  f"    parameters: {{user: ada, password: {{secret: {LOGIN}}}}}", "    check: {text: {contains: 'Welcome, Ada'}}"]
    hand_in(bench, LOGIN, "\n".join(lines) + "\n")
    found = {one["job"]: one["verdict"] for one in results(bench, follow(bench, LOGIN)["campaign"])["outcomes"]}
    bench.check("a password that the cluster keeps is typed on its site only", found == {"its-own": "PASSED", "another": "INVALID_ENVIRONMENT"}, found)


def certificates(bench):
    """A Secret with a certificate for all roles, as cert-manager would keep it."""
    pki = bench.folder / "tls"
    pki.mkdir()
    plane.authority(pki, "ca")
    names = [f"DNS:{RELEASE}-{role}" for role in ROLES] + ["DNS:localhost", "IP:127.0.0.1"]
    plane.certificate(pki, "tls", "/CN=rutter", names=",".join(names))
    content = {name: (pki / name).read_text() for name in ("tls.crt", "tls.key", "ca.crt")}
    bench.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": TLS, "namespace": NAMESPACE}, "stringData": content})


def hand_in(bench, name, tasks):
    """Creates a Campaign."""
    bench.create({"apiVersion": "rutter.dev/v1alpha1", "kind": "Campaign", "metadata": {"name": name, "namespace": NAMESPACE},
                  "spec": {"tasks": {"inline": tasks}, "results": {"configMap": f"{name}-results"}}})


def follow(bench, name, enough=None, patience=900):
    """Follows a Campaign to its end, or until `enough` jobs have ended, and tells each change. Its status then."""
    said = None
    until = time.monotonic() + patience
    while time.monotonic() < until:
        status = (bench.get("campaign", name) or {}).get("status") or {}
        told = " · ".join(str(status.get(word)) for word in ("phase", "progress", "message"))
        if status and told != said and enough is None:
            bench.say(f"{name}: {told}")
            said = told
        ended = status.get("jobs", {}).get("judged", 0)
        if any(one["type"] == "Ended" and one["status"] == "True" for one in status.get("conditions", [])) or ended >= (enough or float("inf")):
            return status
        time.sleep(1)
    raise Failed(f"campaign {name} did not get there in {patience} s: {told}")


def results(bench, campaign):
    """What came of a campaign, asked of queue and ledger through the API server."""
    token = bench.folder / "token"
    token.write_bytes(base64.b64decode(bench.get("secret", f"{RELEASE}-token")["data"]["token"]))
    token.chmod(0o600)
    settings = []
    for role, port in (("campaigns", 7401), ("aggregator", 7402)):
        here = free_port()
        # One of an earlier call led to pods that may be gone.
        plane.end(bench.folder, f"forward-{role}")
        bench.launch(f"forward-{role}", [plane.PROGRAM, "kubectl", "port-forward", "--kubeconfig", bench.folder / "admin.kubeconfig",
                                         "--namespace", NAMESPACE, f"deployment/{RELEASE}-{role}", f"{here}:{port}"])
        scheme, authority = ("https", [f'tls = {{ authority = "{bench.folder}/tls/ca.crt" }}']) if bench.has_tls else ("http", [])
        settings += [f"[services.{role}]", f'endpoint = "{scheme}://127.0.0.1:{here}"', f'token = {{ file = "{token}" }}', *authority]
    (bench.folder / "rutter.toml").write_text("\n".join(settings) + "\n")
    ask = [bench.rutter, "results", campaign, "--config", bench.folder / "rutter.toml", "--output", "json"]
    done = bench.wait("queue and ledger answer through the API server", lambda: [
        # A refused connection is JSON as well.
        done for done in [subprocess.run(ask, capture_output=True, text=True)] if '"outcomes"' in done.stdout], 30)[0]
    return json.loads(done.stdout)


def compare(bench, here, there, where):
    jobs = [{"job": job, "embedded": here.get(job), "cluster": there.get(job)} for job in sorted(here | there)]
    different = [job for job in jobs if job["embedded"] != job["cluster"]]
    bench.check(f"every verdict of the cluster is that of one process, with browsers {where}", jobs and not different, different)
    bench.say(f"browsers {where}: {len(jobs)} jobs, {len(different)} verdicts differ")
    return [{**job, "browsers": where} for job in jobs]


def judged(bench, name, here, where):
    """Follows a Campaign of the tasks to its end, and compares every verdict."""
    campaign = follow(bench, name)["campaign"]
    print(bench.kubectl("get", "campaigns", "--namespace", NAMESPACE).stdout, end="", flush=True)
    return compare(bench, here, {one["job"]: one["verdict"] for one in results(bench, campaign)["outcomes"]}, where)


def pods(bench, part):
    """The pods of one part that are not on their way out, by name."""
    listed = bench.kubectl("get", "pods", "--namespace", NAMESPACE, "--selector", f"app.kubernetes.io/component={part}", "--output", "json")
    return {pod["metadata"]["name"]: pod for pod in json.loads(listed.stdout)["items"] if "deletionTimestamp" not in pod["metadata"]}


def is_ready(pod):
    return any(one["type"] == "Ready" and one["status"] == "True" for one in pod["status"].get("conditions", []))


def apart(bench, tasks, here):
    """The same release with browsers in pods of their own, as many as there is work for and none while there is none, and with TLS between
    its roles."""
    certificates(bench)
    bench.helm("upgrade", RELEASE, str(CHART), *values(bench), "--values", str(APART), "--wait", "--timeout", "5m")
    bench.has_tls = True
    bench.wait("while nothing waits there is neither crawler nor browser", lambda: not pods(bench, "grid-node") and not pods(bench, "crawler"), 60)
    bench.part("upgrade")
    hand_in(bench, SECOND, tasks)
    bench.wait("work brings two pods with browsers", lambda: [is_ready(pod) for pod in pods(bench, "grid-node").values()] == [True, True], 120)
    if not bench.given:
        reach.check_apart(bench)
    jobs = judged(bench, SECOND, here, "in pods of their own")
    bench.wait("pods with browsers are drained and gone when nothing waits", lambda: not pods(bench, "grid-node"), 240)
    told = bench.kubectl("get", "events", "--namespace", NAMESPACE, "--output", "json").stdout
    bench.check("none was deleted with a session", "was deleted with sessions" not in told, told)
    bench.part("campaign apart")
    return jobs


def with_a_grid(bench, instructions, here):
    """The same release with a Grid that is given, in a network where pods reach it: one seed of each task."""
    chosen = [job for job in instructions if job.endswith("/0")]
    bench.helm("upgrade", RELEASE, str(CHART), *values(bench), "--values", str(APART), "--set", "fleet.browsers.enabled=false", *bench.place.grid(bench),
               "--wait", "--timeout", "5m")
    bench.check("the chart brings no Grid of its own then", not pods(bench, "grid") and not pods(bench, "grid-node"))
    hand_in(bench, THIRD, miniwob.tasks(f"http://{bench.place.sites}", {job: instructions[job] for job in chosen}))
    jobs = judged(bench, THIRD, {job: here[job] for job in chosen}, "of a Grid that is given")
    bench.part("campaign with a Grid")
    return jobs


def uninstall(bench):
    campaigns = [name.rsplit("/", 1)[1] for name in bench.kubectl("get", "campaigns", "--namespace", NAMESPACE, "--output", "name").stdout.split()]
    bench.kubectl("delete", "campaign", *campaigns, "--namespace", NAMESPACE, "--timeout=60s")
    bench.helm("uninstall", RELEASE, "--wait", "--timeout", "5m")
    kinds = "pods,services,deployments,statefulsets,jobs,configmaps,secrets,serviceaccounts,roles,rolebindings,networkpolicies," \
            "poddisruptionbudgets,persistentvolumeclaims"
    listed = lambda: set(bench.kubectl("get", kinds, "--namespace", NAMESPACE, "--output", "name").stdout.split())
    cluster = {"configmap/kube-root-ca.crt", "serviceaccount/default"}
    bench.wait("helm uninstall leaves results and the token, and nothing else", lambda: listed() - cluster - {f"secret/{TLS}", f"secret/{SHOP}"} == KEPT, 120)
    if not bench.given:
        bench.check("results are kept", any((bench.folder / f"volumes/{RELEASE}-blobs").rglob("*")))


def clean(bench):
    bench.down()
    left = bench.place.left(bench)
    bench.check("nothing is left in the cluster or of it", not left, left)
    if not bench.failed:
        shutil.rmtree(bench.folder, ignore_errors=True)


def run(bench):
    shutil.rmtree(bench.folder, ignore_errors=True)
    bench.folder.mkdir(parents=True)
    instructions, here = embedded(bench)
    bench.say(f"in one process: {list(here.values()).count('PASSED')} of {len(here)} passed")
    bench.part("embedded")
    bench.place.up(bench, ["rutter", "browser", "servers", "grid"])
    prepare(bench)
    address, port = bench.place.serves
    bench.launch("site", [sys.executable, "-B", ROOT / "deploy/kube/miniwob.py", address, port])
    bench.launch("shop", [sys.executable, "-B", ROOT / "deploy/kube/site.py", address, str(int(port) + 1), PASSWORD])
    print(bench.helm("install", RELEASE, str(CHART), *values(bench), "--wait", "--timeout", "10m"), flush=True)
    print(bench.kubectl("get", "pods", "--namespace", NAMESPACE).stdout, flush=True)
    bench.part("install")
    tasks = miniwob.tasks(f"http://{bench.place.sites}", instructions)
    hand_in(bench, CAMPAIGN, tasks)
    jobs = judged(bench, CAMPAIGN, here, "beside the crawlers")
    logs_in(bench)
    bench.part("campaign")
    if not bench.given:
        reach.check(bench)
        bench.part("reach")
    print(bench.helm("test", RELEASE, "--timeout", "2m"), flush=True)
    bench.part("test")
    jobs += apart(bench, tasks, here)
    if not bench.given:
        jobs += with_a_grid(bench, instructions, here)
    uninstall(bench)
    bench.part("uninstall")
    return jobs


def main(arguments):
    rutter, operator, folder, output = (pathlib.Path(argument).resolve() for argument in arguments)
    output.mkdir(parents=True, exist_ok=True)
    bench = Demo(folder, rutter, operator, os.environ.get("KUBECONFIG"))
    jobs = []
    try:
        jobs = run(bench)
    except Failed as failure:
        bench.failed.append(str(failure))
        bench.say(f"FAILED  {failure}")
        print(plane.kubectl(folder, "get", "pods", "--all-namespaces", "--output", "wide").stdout, flush=True)
    finally:
        if bench.failed:
            for name in () if bench.given else ("kubelet", "containerd"):
                print(f"last words of {name}:\n{last_words(folder, name)}", flush=True)
        if not (bench.failed and os.environ.get("KUBE_DEMO_KEEP")):
            clean(bench)
    bench.part("clean")
    minutes = round((time.monotonic() - bench.began) / 60, 1)
    (output / "kube-demo.json").write_text(json.dumps({"jobs": jobs, "minutes": minutes, "parts": bench.minutes, "checks": len(bench.passed),
                                                        "failed": bench.failed}, indent=1) + "\n")
    print(f"{len(bench.passed)} passed, {len(bench.failed)} failed, {minutes} minutes")
    sys.exit(1 if bench.failed else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
