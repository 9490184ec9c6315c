"""Who reaches whom among pods, with the chart's network policies enforced, and what accounts of pods may ask the API server."""

import pathlib
import sys
import time

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


def told(bench, role, what):
    """One thing of each pod of a role."""
    return bench.kubectl("get", "pods", "--namespace", NAMESPACE, "--selector", f"app.kubernetes.io/component={role}",
                         "--output", f"jsonpath={{.items[*].{what}}}").stdout.split()


def try_each(bench, table, container, *, pod):
    """Has a browser and a pod without policies connect to each line's host and port."""
    for what, host, port, browser, outsider in table:
        for who, namespace, name, where, may in (
            ("a browser pod", NAMESPACE, pod, container, browser), ("a pod without policies", ELSEWHERE, STRANGER, "shell", outsider),
        ):
            saw = connects(bench, namespace, name, where, host, port)
            bench.check(f"{who} {'reaches' if may else 'does not reach'} {what}", saw == may, f"{host}:{port} {'answered' if saw else 'did not answer'}")
    bench.say(f"reach: {2 * len(table)} connections tried between pods, as the chart's policies have them")


def beyond(bench, other):
    """What no browser reaches, wherever it is: host, port, whether a browser does, whether the stranger does."""
    address = lambda role: told(bench, role, "status.podIP")[0]
    return [
        ("the ledger", address("aggregator"), 7402, False, False),
        ("PostgreSQL", address("postgres"), 5432, False, False),
        ("the API server", "10.96.0.1", 443, False, True),
        ("the API server by its own address", node.HOST, 6443, False, True),
        ("kubelet", node.NODE_ADDRESS, 10250, False, True),
        ("the address of cloud metadata", METADATA, 80, False, True),
        ("a pod of another namespace", other, 9515, False, True),
    ]


def check(bench):
    stranger(bench)
    metadata(bench)
    address = lambda role: told(bench, role, "status.podIP")[0]
    other = bench.get("pod", STRANGER, ELSEWHERE)["status"]["podIP"]
    # A browser beside its crawler shares its network, and the crawler talks to the log and the cache.
    table = [
        ("the site", node.SITES, 8090, True, True),
        ("the queue", address("campaigns"), 7401, True, False),
        ("a planner", address("planner"), 7403, True, False),
        ("Kafka", address("kafka"), 9092, True, False),
        ("Redis", address("redis"), 6379, True, False),
        ("the driver of another browser", told(bench, "crawler", "status.podIP")[1], 9515, False, False),
        *beyond(bench, other),
    ]
    try_each(bench, table, "browser", pod=told(bench, "crawler", "metadata.name")[0])
    for who, verb, what, where, may in plane_checks.MAY:
        if who == plane_checks.ROLE:
            where = ELSEWHERE if where == "default" else where
            said = bench.kubectl("auth", "can-i", verb, what, "--as", who, "--namespace", where, may_fail=True).stdout.strip()
            bench.check(f"a role {'may' if may else 'may not'} {verb} {what} in {where}", said == ("yes" if may else "no"), said)


def gates(address):
    """The ports that gates of the crawler at this address listen on, as the kernel of this machine knows its processes."""
    hexed = "".join(f"{int(part):02X}" for part in reversed(address.split(".")))
    found = set()
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if b"serve\0crawler" not in (process / "cmdline").read_bytes():
                continue
            lines = (process / "net/tcp").read_text().splitlines()[1:]
        except OSError:
            continue
        # Its own ports listen on all addresses; `0A` is a socket that listens.
        found |= {int(words[1].split(":")[1], 16) for words in map(str.split, lines) if words[1].startswith(hexed) and words[3] == "0A"}
    return found


def connects_to_gate(bench, namespace, pod, container, address):
    """Whether a container gets a connection to a gate, which lives as long as its job: tried until one was there all the while."""
    for _ in range(30):
        for port in gates(address):
            saw = connects(bench, namespace, pod, container, address, port)
            if saw or port in gates(address):
                return saw
        time.sleep(0.5)
    return None


def check_apart(bench):
    """The same for a browser in a pod of its own: it reaches gates and the hub, and neither sites nor servers."""
    address = lambda role: told(bench, role, "status.podIP")[0]
    other = bench.get("pod", STRANGER, ELSEWHERE)["status"]["podIP"]
    here, others = told(bench, "grid-node", "metadata.name")[0], told(bench, "grid-node", "status.podIP")[1]
    table = [
        ("the hub's events", address("grid"), 4442, True, False),
        ("the hub's sessions", address("grid"), 4444, False, False),
        ("the crawler's own port", address("crawler"), 7405, False, False),
        ("the site", node.SITES, 8090, False, True),
        ("the names of the cluster", node.DNS_SERVICE, 53, False, True),
        ("the queue", address("campaigns"), 7401, False, False),
        ("a planner", address("planner"), 7403, False, False),
        ("Kafka", address("kafka"), 9092, False, False),
        ("Redis", address("redis"), 6379, False, False),
        ("the node of another browser", others, 5555, False, False),
        *beyond(bench, other),
    ]
    for who, namespace, pod, container, may in (("a browser pod", NAMESPACE, here, "node", True), ("a pod without policies", ELSEWHERE, STRANGER, "shell", False)):
        saw = connects_to_gate(bench, namespace, pod, container, address("crawler"))
        bench.check(f"{who} {'reaches' if may else 'does not reach'} a gate of a crawler", saw == may, saw)
    try_each(bench, table, "node", pod=here)
    bench.kubectl("delete", "namespace", ELSEWHERE, "--timeout=60s")
