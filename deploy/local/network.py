"""A network of this process and what it starts, in which a member can be cut off from all others while it goes on.

Linux only, as root, with `ip` (iproute2), `nft` (nftables) and `unshare`: the network is a namespace with a loopback interface of
its own, so that no rule touches the machine's. A member is known by the group that its process runs with. The first packet it sends over a
connection, as the caller or as the called, marks that connection; a cut drops what is marked, in both directions, and refuses
nothing: the others see silence, as when a cable is pulled.
"""

import os
import shutil
import subprocess
import sys

INSIDE = "RUTTER_OWN_NETWORK"
TABLE = "inet rutter_cut"
FIRST_GROUP = 64000


def missing():
    """What this machine lacks for a network of its own, in words; nothing where it can have one."""
    if os.geteuid() != 0:
        return "root"
    tools = ", ".join(tool for tool in ["ip", "nft", "unshare", "setpriv"] if not shutil.which(tool))
    if tools:
        return tools
    # Root of a container may lack it.
    tried = subprocess.run(["unshare", "--net", "nft", f"add table {TABLE}"], capture_output=True)
    return "" if tried.returncode == 0 else "the right to a network namespace with rules of its own"


def enter():
    """Begins this program again inside of a network of its own; inside, only returns."""
    if INSIDE not in os.environ:
        os.execvpe("unshare", ["unshare", "--net", sys.executable, "-B", *sys.argv], {**os.environ, INSIDE: str(os.getpid())})


def nft(rules):
    subprocess.run(["nft", "-f", "-"], input=rules, text=True, check=True)


class Cuts:
    """The connections of members, who are at most thirty-two: a mark has so many bits."""

    def __init__(self, members):
        self.places = {name: place for place, name in enumerate(members)}
        marks = "\n".join(f"meta skgid {self.group(name)} ct mark set ct mark or {self.mark(name)}" for name in members)
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        nft(f"table {TABLE} {{\nchain cut {{ }}\nchain output {{\ntype filter hook output priority filter;\n{marks}\njump cut\n}}\n}}")

    def group(self, name):
        """The group that this member's process must run with."""
        return FIRST_GROUP + self.places[name]

    def mark(self, name):
        return hex(1 << self.places[name])

    def cut(self, name):
        nft(f"add rule {TABLE} cut ct mark and {self.mark(name)} != 0 drop")

    def mend(self):
        nft(f"flush chain {TABLE} cut")
