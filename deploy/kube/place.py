"""Where the demo's cluster is: a node of its own on this machine, or the cluster of KUBECONFIG, whose nodes have the images already or
pull them."""

import json
import os
import subprocess
import sys

import control_plane as plane
import node
from bench import NAMESPACE, ROOT, Failed

VALUES = ROOT / "deploy/kube/demo.yaml"
IMAGES = ROOT / "target/images"
# The archive of every role.
SERVICE = "rutter"
USER = 65532


def build(bench, *images):
    """Builds the images that are wanted and not there, or older than what they are made of."""
    here = list((ROOT / "deploy/image").rglob("*"))
    for image in images:
        files = [bench.rutter, bench.operator] if image == SERVICE else here
        archive = IMAGES / f"{image}.tar"
        if archive.exists() and archive.stat().st_mtime > max(file.stat().st_mtime for file in files if file.is_file()):
            continue
        bench.say(f"building the image {image}")
        what = "service" if image == SERVICE else image
        done = subprocess.run([sys.executable, "-B", ROOT / "deploy/image/build.py", what, "--rutter", bench.rutter, "--operator", bench.operator,
                               "--output", IMAGES], capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"build.py {image}: {done.stderr.strip()}")


def servers(bench, what, *more):
    """Asks for a server of this machine at the address where pods reach it."""
    asked = [ROOT / "deploy/local/servers.sh", what, "--dir", bench.folder / "grid", *more]
    done = subprocess.run(asked, capture_output=True, text=True, env={**os.environ, "GRID_HOST": node.SITES})
    if done.returncode != 0:
        raise Failed(f"servers.sh {what}: {done.stderr.strip()}")
    return done.stdout


class Own:
    """A cluster of one node on this machine, made for the demo and removed with all that is in it."""

    serves = (node.SITES, "8090")
    sites = ":".join(serves)
    values = ["--values", str(VALUES)]

    def up(self, bench, images):
        build(bench, *images)
        bench.part("images")
        node.up(bench.folder)
        bench.part("cluster")
        node.take_in(bench.folder, *(IMAGES / f"{image}.tar" for image in images))
        bench.part("import")

    def volume(self, bench, claim):
        """A folder of this machine as the volume of a claim."""
        folder = bench.folder / "volumes" / claim
        folder.mkdir(parents=True)
        os.chown(folder, USER, USER)
        bench.create({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": claim}, "spec": {
            "capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteOnce"], "persistentVolumeReclaimPolicy": "Retain",
            "hostPath": {"path": str(folder)}, "claimRef": {"namespace": NAMESPACE, "name": claim},
        }})

    def grid(self, bench):
        """A Selenium Grid of this machine with two browsers, and what the chart has to know of it."""
        servers(bench, "up", "--nodes", "1", "--sessions", "2", "grid")
        url = dict(line.split("=", 1) for line in servers(bench, "env").splitlines() if "=" in line)["RUTTER_TEST_GRID"]
        networks = lambda name, *hosts: ["--set", f"networkPolicies.{name}={{" + ",".join(f"{host}/32" for host in hosts) + "}"]
        return ["--set", f"grid.url={url}", *networks("browsers", node.HOST, node.SITES), *networks("servers", node.SITES)]

    def down(self, bench):
        if (bench.folder / "grid").exists():
            servers(bench, "clean")
        node.down(bench.folder)

    def left(self, bench):
        return node.left_behind(bench.folder)


class Given:
    """Somebody's cluster. KUBE_SITES says where its pods reach this machine, KUBE_VALUES names images and whatever else is special there."""

    def __init__(self):
        self.sites = os.environ.get("KUBE_SITES", "")
        host, _, port = self.sites.rpartition(":")
        self.serves = (host, port)
        if not host:
            plane.die("KUBECONFIG names a cluster: say at which of its addresses pods reach this machine, e.g. KUBE_SITES=192.0.2.7:8090")
        self.values = ["--values", str(VALUES), "--set", f"networkPolicies.sites={{{host}/32}}"]
        if os.environ.get("KUBE_VALUES"):
            self.values += ["--values", os.environ["KUBE_VALUES"]]

    def up(self, bench, images):
        bench.adopt()
        slices = json.loads(bench.kubectl("get", "endpointslices", "--namespace", "default", "--selector",
                                          "kubernetes.io/service-name=kubernetes", "--output", "json").stdout)["items"]
        networks = sorted({f"{address}/32" for one in slices for end in one["endpoints"] for address in end["addresses"]})
        self.values += ["--set", "networkPolicies.apiServer={" + ",".join(networks) + "}"]
        bench.part("cluster")

    def volume(self, bench, claim):
        """Its own class of volumes has one."""

    def down(self, bench):
        bench.give_back()

    def left(self, bench):
        namespaces = bench.kubectl("get", "namespaces", "--output", "name").stdout.split()
        return [name for name in bench.made if name in namespaces]


def place(given):
    return Given() if given else Own()
