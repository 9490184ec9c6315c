"""What the operator may do, and who of several works: with the rights that the chart gives, on a real API server."""

import json
import os
import subprocess

import control_plane as plane
from bench import NAMESPACE
from control_plane import ROOT

RENDERED = ROOT / "helm/rutter/ci/rendered/large.yaml"
OPERATOR = f"system:serviceaccount:{NAMESPACE}:rutter-operator"
ROLE = f"system:serviceaccount:{NAMESPACE}:rutter-role"

MAY = [
    # Who, verb, what, where, whether.
    (OPERATOR, "patch", "campaigns.rutter.dev --subresource=status", NAMESPACE, True),
    (OPERATOR, "create", "campaigns.rutter.dev", NAMESPACE, True),
    (OPERATOR, "delete", "pods", NAMESPACE, True),
    (OPERATOR, "patch", "deployments.apps/rutter-crawler --subresource=scale", NAMESPACE, True),
    (OPERATOR, "patch", "deployments.apps/somebody-else --subresource=scale", NAMESPACE, False),
    (OPERATOR, "patch", "deployments.apps", NAMESPACE, False),
    (OPERATOR, "create", "pods --subresource=exec", NAMESPACE, False),
    (OPERATOR, "list", "secrets", NAMESPACE, False),
    (OPERATOR, "get", "secrets", "default", False),
    (OPERATOR, "list", "campaigns.rutter.dev", "default", False),
    (OPERATOR, "create", "pods", "default", False),
    (OPERATOR, "get", "nodes", None, False),
    (OPERATOR, "create", "rolebindings.rbac.authorization.k8s.io", NAMESPACE, False),
    (ROLE, "get", "secrets", NAMESPACE, False),
    (ROLE, "get", "secrets", "default", False),
    (ROLE, "list", "pods", NAMESPACE, False),
    (ROLE, "list", "campaigns.rutter.dev", NAMESPACE, False),
]


def least_privilege(bench):
    """Gives the operator what the chart gives it, and checks who may do what. The path of its kubeconfig."""
    documents = RENDERED.read_text().split("\n---\n")
    kinds = ("ServiceAccount", "Role", "RoleBinding")
    chosen = [text for text in documents if any(f"\nkind: {kind}\n" in f"\n{text}\n" for kind in kinds)]
    bench.kubectl("apply", "--server-side", "--namespace", NAMESPACE, "--filename", "-", given="\n---\n".join(
        text for text in chosen if "namespace: research" not in text))
    for who, verb, what, where, may in MAY:
        arguments = ["auth", "can-i", verb, *what.split(" "), "--as", who, *(["--namespace", where] if where else [])]
        said = bench.kubectl(*arguments, may_fail=True).stdout.strip()
        bench.check(f"{who.rsplit(':', 1)[1]} {'may' if may else 'may not'} {verb} {what} in {where}", said == ("yes" if may else "no"), said)
    token = bench.kubectl("create", "token", "rutter-operator", "--namespace", NAMESPACE, "--duration", "2h").stdout.strip()
    [known] = json.loads((bench.folder / "admin.kubeconfig").read_text())["clusters"]
    content = {
        "apiVersion": "v1", "kind": "Config", "current-context": "here",
        "clusters": [{"name": "here", "cluster": known["cluster"]}],
        "users": [{"name": "operator", "user": {"token": token}}],
        "contexts": [{"name": "here", "context": {"cluster": "here", "user": "operator", "namespace": NAMESPACE}}],
    }
    path = bench.folder / "operator.kubeconfig"
    path.write_text(json.dumps(content))
    path.chmod(0o600)
    bench.say(f"rights: {len(MAY)} questions to `kubectl auth can-i`; the operator runs with the chart's")
    return path


def prepare(bench):
    """The second namespace that the chart's rights name."""
    bench.kubectl("create", "namespace", "research")


def rendered(bench):
    """What the chart renders for each set of values is taken by the API server, and its pods keep to Pod Security `restricted`."""
    bench.kubectl("label", "namespace", NAMESPACE, "pod-security.kubernetes.io/warn=restricted")
    for path in sorted(RENDERED.parent.glob("*.yaml")):
        documents = path.read_text().split("\n---\n")
        # Resources of the Prometheus operator are its own.
        known = [text for text in documents if "monitoring.coreos.com" not in text]
        elsewhere = [text for text in known if "\n  namespace: research\n" in text]
        parts = [(elsewhere, "research"), ([text for text in known if text not in elsewhere], NAMESPACE)]
        said = [dry_run(bench, texts, namespace) for texts, namespace in parts if texts]
        wrong = [done.stderr.strip() for done in said if done.returncode != 0]
        bench.check(f"the API server takes what the chart renders for {path.stem}", not wrong, wrong)
        violations = [line for done in said for line in done.stderr.splitlines() if "would violate PodSecurity" in line]
        bench.check(f"its pods are restricted: {path.stem}", not violations, violations)
        bench.check(f"roles take the settings that it renders for {path.stem}", *settings(bench, documents))
    bench.kubectl("label", "namespace", NAMESPACE, "pod-security.kubernetes.io/warn-")


def dry_run(bench, documents, namespace):
    """What the API server says of resources, without keeping them."""
    return bench.kubectl("apply", "--dry-run=server", "--server-side", "--force-conflicts", "--namespace", namespace, "--filename", "-",
                         given="\n---\n".join(documents), may_fail=True)


def settings(bench, documents):
    """Whether the program reads the settings that the chart renders, and what it says."""
    block = next(text for text in documents if "rutter.toml: |" in text).split("rutter.toml: |\n", 1)[1]
    path = bench.folder / "rendered.toml"
    path.write_text("\n".join(line[4:] for line in block.splitlines()))
    # What stands in Secrets comes by variables.
    secrets = {"RUTTER_STORAGE__SERVERS__POSTGRES": "postgres://rutter@db/rutter", "RUTTER_STORAGE__SERVERS__REDIS__URL": "redis://cache:6379"}
    done = subprocess.run([bench.rutter, "config", "show", "--config", path], capture_output=True, text=True, env={**os.environ, **secrets})
    return done.returncode == 0, done.stderr.strip()


def leadership(bench, campaign, phase, kubeconfig):
    """A second operator waits, and takes over when the first one is killed in the middle of work."""
    def holder():
        return bench.get("lease", "rutter-operator")["spec"].get("holderIdentity")

    first = holder()
    bench.start_operator("operator-2", kubeconfig)
    bench.wait("a second operator is ready and waits", lambda: "leading" not in log(bench, "operator-2") and plane.pid_of(bench.folder, "operator-2"), 10)
    bench.create(campaign("taken-over"))
    bench.kill("operator")
    bench.wait("the second one takes over", lambda: holder() not in (first, None, ""), 40)
    bench.wait("and ends what the first one began", lambda: phase(bench, "taken-over") == "Succeeded", 40)
    bench.say("leadership: killed between stages, taken over, nothing twice and nothing lost")


def log(bench, name):
    try:
        return (bench.folder / f"{name}.log").read_text(errors="replace")
    except OSError:
        return ""

