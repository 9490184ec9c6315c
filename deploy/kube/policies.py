"""Enforces NetworkPolicies on the node of deploy/kube/node.py: reads pods and policies from the API server, and writes them as rules of
nftables. `policies.py DIR`, on the node.

It knows what `networking.k8s.io/v1` has for IPv4: selectors of pods and namespaces, blocks of addresses, ports by number, range and name. A
pod that it has not seen yet reaches nobody, so that none is open before its rules stand. What it never does: watch; it looks twice a second.
"""

import ipaddress
import pathlib
import subprocess
import sys
import time

import control_plane as plane
from api import Api
from node import POD_NETWORK

TABLE = "rutter_policies"
EVERY_S = 0.5


def matches(selector, labels):
    """Whether labels are those of a selector."""
    if any(labels.get(key) != value for key, value in (selector.get("matchLabels") or {}).items()):
        return False
    for one in selector.get("matchExpressions") or []:
        value, listed = labels.get(one["key"]), one.get("values") or []
        holds = {"In": value in listed, "NotIn": value not in listed, "Exists": value is not None, "DoesNotExist": value is None}
        if not holds[one["operator"]]:
            return False
    return True


class Cluster:
    """What policies speak of."""

    def __init__(self, pods, namespaces):
        self.namespaces = {one["metadata"]["name"]: one["metadata"].get("labels") or {} for one in namespaces}
        # Pods that share the node's own network are none of the policies' business.
        self.pods = [pod for pod in pods if pod["status"].get("podIP") and not pod["spec"].get("hostNetwork")
                     and pod["status"]["phase"] in ("Pending", "Running")]

    def selected(self, selector, namespaces):
        return [pod for pod in self.pods if pod["metadata"]["namespace"] in namespaces and matches(selector, pod["metadata"].get("labels") or {})]

    def peer(self, peer, namespace):
        """The addresses of one peer of a rule, as terms of nftables."""
        if "ipBlock" in peer:
            block = ipaddress.ip_network(peer["ipBlock"]["cidr"])
            if block.version != 4:
                return []
            blocks = [block]
            for taken in map(ipaddress.ip_network, peer["ipBlock"].get("except") or []):
                blocks = [part for one in blocks for part in (one.address_exclude(taken) if taken.subnet_of(one) else [one])]
            return [str(one) for one in blocks]
        within = {namespace}
        if "namespaceSelector" in peer:
            within = {name for name, labels in self.namespaces.items() if matches(peer["namespaceSelector"], labels)}
        return [pod["status"]["podIP"] for pod in self.selected(peer.get("podSelector") or {}, within)]


def port(one, pod):
    """A port of a rule as a match of nftables; none where the pod has no port of that name."""
    protocol, number = one.get("protocol", "TCP").lower(), one.get("port")
    if isinstance(number, str):
        declared = [known for container in pod["spec"]["containers"] for known in container.get("ports") or []]
        named = [known["containerPort"] for known in declared if known.get("name") == number]
        if not named:
            return None
        number = named[0]
    if number is None:
        return f"meta l4proto {protocol}"
    return f"{protocol} dport {number}" + (f"-{one['endPort']}" if "endPort" in one else "")


def rules(cluster, policy, pod, direction):
    """What one policy lets a pod say (`egress`) or hear (`ingress`)."""
    field, address = ("to", "daddr") if direction == "egress" else ("from", "saddr")
    found = []
    for rule in policy["spec"].get(direction) or []:
        peers = rule.get(field)
        addresses = sorted({term for peer in peers or [] for term in cluster.peer(peer, policy["metadata"]["namespace"])})
        if peers and not addresses:
            continue
        where = f"ip {address} {{ {', '.join(addresses)} }} " if peers else ""
        ports = [port(one, pod) for one in rule.get("ports") or []] or [""]
        found += [f"{where}{one} return".replace("  ", " ").strip() for one in ports if one is not None]
    return found


def types(spec):
    return spec.get("policyTypes") or ["Ingress", *(["Egress"] if "egress" in spec else [])]


def ruleset(cluster, policies):
    """All of it, as a text that replaces what was there in one step."""
    jumps, chains = {"egress": [], "ingress": []}, []
    for pod in cluster.pods:
        ours = [policy for policy in policies if policy["metadata"]["namespace"] == pod["metadata"]["namespace"]
                and matches(policy["spec"]["podSelector"], pod["metadata"].get("labels") or {})]
        ip = pod["status"]["podIP"]
        for direction, side in (("egress", "saddr"), ("ingress", "daddr")):
            binding = [policy for policy in ours if direction.capitalize() in types(policy["spec"])]
            if binding:
                chain = f"{direction}_{ip.replace('.', '_')}"
                lines = sorted({line for policy in binding for line in rules(cluster, policy, pod, direction)})
                chains.append(f"chain {chain} {{ " + "; ".join([*lines, "reject with icmpx type admin-prohibited"]) + "; }")
                jumps[direction].append(f"ip {side} {ip} jump {chain}")
    known = ", ".join(sorted({pod["status"]["podIP"] for pod in cluster.pods}))
    strangers = f"ip saddr {POD_NETWORK} " + (f"ip saddr != {{ {known} }} " if known else "") + "drop"
    # What pods say to the node itself is not forwarded; what the node says to pods, such as probes, is nobody's to refuse.
    forwarded = ["ct state established,related accept", strangers, *jumps["egress"], *jumps["ingress"]]
    to_node = ["ct state established,related accept", *jumps["egress"]]
    chains.append("chain forwarded { type filter hook forward priority 0; " + "; ".join(forwarded) + "; }")
    chains.append("chain to_node { type filter hook input priority 0; " + "; ".join(to_node) + "; }")
    return f"table inet {TABLE}\ndelete table inet {TABLE}\ntable inet {TABLE} {{\n" + "\n".join(chains) + "\n}\n"


def look(api):
    ask = lambda path: api.ask("GET", f"{path}?resourceVersion=0")["items"]
    return ruleset(Cluster(ask("/api/v1/pods"), ask("/api/v1/namespaces")), ask("/apis/networking.k8s.io/v1/networkpolicies"))


def main(folder):
    at, before, api = plane.ports(folder), None, None
    while True:
        try:
            api = api or Api(folder, at["apiserver"], at["address"])
            now = look(api)
        except (OSError, RuntimeError, ValueError) as error:
            # The API server may be away for a while; the rules stand meanwhile.
            print(f"policies: {error}", file=sys.stderr, flush=True)
            api = None
            time.sleep(EVERY_S)
            continue
        if now != before:
            done = subprocess.run(["nft", "--file", "-"], input=now, capture_output=True, text=True)
            if done.returncode == 0:
                before = now
            else:
                print(f"policies: nft: {done.stderr}\n{now}", file=sys.stderr, flush=True)
        time.sleep(EVERY_S)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
