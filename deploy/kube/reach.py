"""Who reaches whom among pods, with the chart's network policies enforced, and what accounts of pods may ask the API server."""

import sys

import node
import plane_checks
from bench import NAMESPACE, ROOT

# A pod without any policy, in another namespace: it shows that what is refused to others is there.
STRANGER, ELSEWHERE = "stranger", "elsewhere"
METADATA = "169.254.169.254"


def connects(bench, namespace, pod, container, host, port):
    """Whether a program in a container gets a TCP connection."""
    done = bench.kubectl("exec", pod, "--namespace", namespace, "--container", container, "--",
                         "timeout", "3", "bash", "-c", f"exec 3<>/dev/tcp/{host}/{port}", may_fail=True)
    return done.returncode == 0


def stranger(bench):
    bench.kubectl("create", "namespace", ELSEWHERE)
    template = bench.get("deployment", "rutter-crawler")["spec"]["template"]["spec"]
    bench.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": STRANGER, "namespace": ELSEWHERE}, "spec": {
        "automountServiceAccountToken": False, "terminationGracePeriodSeconds": 1,
        "containers": [{"name": "shell", "image": template["initContainers"][0]["image"], "imagePullPolicy": "Never",
                        "command": ["chromedriver", "--port=9515", "--allowed-ips="]}],
    }})
    bench.kubectl("wait", "--for=condition=Ready", f"pod/{STRANGER}", "--namespace", ELSEWHERE, "--timeout=60s")


def metadata(bench):
    """Something at the address where clouds tell machines their secrets."""
    node.inside(bench.folder, "ip", "address", "add", f"{METADATA}/32", "dev", "lo")
    bench.launch("metadata", [*node.entering(bench.folder), sys.executable, "-B", ROOT / "deploy/kube/miniwob.py", METADATA, "80"])


def check(bench):
    stranger(bench)
    metadata(bench)
    told = lambda role, what: bench.kubectl("get", "pods", "--namespace", NAMESPACE, "--selector", f"app.kubernetes.io/component={role}",
                                            "--output", f"jsonpath={{.items[*].{what}}}").stdout.split()
    address = lambda role: told(role, "status.podIP")[0]
    crawler = told("crawler", "metadata.name")[0]
    other = bench.get("pod", STRANGER, ELSEWHERE)["status"]["podIP"]
    # Host, port, whether a crawler's browser reaches it, whether the stranger does. A browser shares the network of its crawler, which
    # talks to the log and the cache.
    table = [
        ("the site", node.SITES, 8090, True, True),
        ("the queue", address("campaigns"), 7401, True, False),
        ("a planner", address("planner"), 7403, True, False),
        ("the ledger", address("aggregator"), 7402, False, False),
        ("Kafka", address("kafka"), 9092, True, False),
        ("Redis", address("redis"), 6379, True, False),
        ("PostgreSQL", address("postgres"), 5432, False, False),
        ("the API server", "10.96.0.1", 443, False, True),
        ("the API server by its own address", node.HOST, 6443, False, True),
        ("kubelet", node.NODE_ADDRESS, 10250, False, True),
        ("the address of cloud metadata", METADATA, 80, False, True),
        ("the driver of another browser", told("crawler", "status.podIP")[1], 9515, False, False),
        ("a pod of another namespace", other, 9515, False, True),
    ]
    for what, host, port, browser, outsider in table:
        for who, namespace, pod, container, may in (
            ("a browser pod", NAMESPACE, crawler, "browser", browser), ("a pod without policies", ELSEWHERE, STRANGER, "shell", outsider),
        ):
            saw = connects(bench, namespace, pod, container, host, port)
            bench.check(f"{who} {'reaches' if may else 'does not reach'} {what}", saw == may, f"{host}:{port} {'answered' if saw else 'did not answer'}")
    for who, verb, what, where, may in plane_checks.MAY:
        if who == plane_checks.ROLE:
            where = ELSEWHERE if where == "default" else where
            said = bench.kubectl("auth", "can-i", verb, what, "--as", who, "--namespace", where, may_fail=True).stdout.strip()
            bench.check(f"a role {'may' if may else 'may not'} {verb} {what} in {where}", said == ("yes" if may else "no"), said)
    bench.kubectl("delete", "namespace", ELSEWHERE, "--timeout=60s")
    bench.say(f"reach: {2 * len(table)} connections tried between pods, as the chart's policies have them")
