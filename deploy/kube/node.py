"""One node of a Kubernetes cluster on this machine, with its control plane: real pods, without a registry. Needs root.

    node.py up DIR            start what is not running, wait until the node is ready and names are answered
    node.py images DIR FILE…  take in OCI archives, as `deploy/image/build.py` writes them
    node.py status DIR        one line for each process
    node.py down DIR          end all, with everything that runs in pods; `clean` also removes DIR

The node has a network and a mount namespace of its own: what containerd, kubelet and network plug-ins write to /run, /var/lib and
/var/log stands in DIR or is gone with them. A pair of interfaces leads from the machine to the node, and a route over it to the pods,
so that pods reach the API server and what the machine serves at SITES, and nothing beyond. Network policies are enforced by policies.py.
There is one node of this kind at a time.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import control_plane as plane
from control_plane import ROOT, certificate, die, end, kubeconfig, kubectl, last_words, launch, pid_of

sys.path.append(str(ROOT / "deploy/image"))
import oci  # noqa: E402

CACHE = ROOT / ".cache/kube"
PROGRAM = CACHE / "kube-node"
PLUGINS = "/usr/lib/cni"
NAMES = ["namespaces", "containerd", "kubelet", "kube-scheduler", "kube-proxy", "policies"]
# What runs once containers can, and ends before they do.
RUNNING = NAMES[2:]
NODE = "node"
# The machine and the node, as each sees the other, and the network of pods.
LINK, HOST, NODE_ADDRESS, LINK_LENGTH, POD_NETWORK = "rutter-kube", "10.98.0.1", "10.98.0.2", 30, "10.97.0.0/16"
# A second address of the machine, for what it serves to pods beside the API server.
SITES = "10.98.1.1"
DNS_SERVICE, DNS_DOMAIN = "10.96.0.10", "cluster.local"
PAUSE, DNS = "localhost/rutter/pause:1", "localhost/rutter/coredns:1"
# Folders that the node has for itself, and where they stand in DIR.
OWN = {"/var/lib": "var-lib", "/var/log": "var-log"}
# What kubelet sets for the whole machine, and `down` sets back.
SYSCTLS = [
    "vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops", "kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes",
]
CGROUPS = pathlib.Path("/sys/fs/cgroup")


def run(*command, may_fail=False):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0 and not may_fail:
        die(f"{' '.join(str(part) for part in command)}: {done.stderr.strip()}")
    return done


# --- namespaces -----------------------------------------------------------------------------------------------------------------


def entering(folder):
    """What a command begins with that is to run on the node."""
    return ["nsenter", "--target", str(pid_of(folder, "namespaces")), "--net", "--mount", "--"]


def inside(folder, *command, may_fail=False):
    return run(*entering(folder), *command, may_fail=may_fail)


def make_namespaces(folder):
    if pid_of(folder, "namespaces") is not None:
        return
    if run("ip", "link", "show", LINK, may_fail=True).returncode == 0 or list(CGROUPS.glob("*/kubepods")):
        die("a node is on this machine already, or was left behind: end it by node.py down with its directory")
    launch(folder, "namespaces", ["unshare", "--net", "--mount", "--propagation", "private", "sleep", "infinity"])
    comm = pathlib.Path(f"/proc/{pid_of(folder, 'namespaces')}/comm")
    while comm.read_text().strip() != "sleep":
        time.sleep(0.02)
    for place, name in OWN.items():
        (folder / "node" / name).mkdir(parents=True, exist_ok=True)
        inside(folder, "mount", "--bind", folder / "node" / name, place)
    inside(folder, "mount", "-t", "tmpfs", "tmpfs", "/run")
    run("ip", "link", "add", LINK, "type", "veth", "peer", "name", "eth0", "netns", pid_of(folder, "namespaces"))
    run("ip", "address", "add", f"{HOST}/{LINK_LENGTH}", "dev", LINK)
    run("ip", "address", "add", f"{SITES}/32", "dev", LINK)
    run("ip", "link", "set", LINK, "up")
    run("ip", "route", "add", POD_NETWORK, "via", NODE_ADDRESS)
    inside(folder, "ip", "link", "set", "lo", "up")
    inside(folder, "ip", "address", "add", f"{NODE_ADDRESS}/{LINK_LENGTH}", "dev", "eth0")
    inside(folder, "ip", "link", "set", "eth0", "up")
    inside(folder, "ip", "route", "add", "default", "via", HOST)
    inside(folder, "sysctl", "-q", "-w", "net.ipv4.ip_forward=1")


# --- settings -----------------------------------------------------------------------------------------------------------------------


def write(path, text):
    """Writes a file that is not there in these words: kube-proxy ends when its settings are written again."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def write_settings(folder):
    node = folder / "node"
    (node / "cni").mkdir(parents=True, exist_ok=True)
    write(node / "resolv.conf", "")
    write(node / "containerd.toml", f"""version = 2
disabled_plugins = [{', '.join(f'"io.containerd.snapshotter.v1.{name}"' for name in ("aufs", "btrfs", "devmapper", "zfs"))}]
[plugins."io.containerd.internal.v1.opt"]
path = "/var/lib/containerd/opt"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "{PAUSE}"
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "{PLUGINS}"
conf_dir = "{node / 'cni'}"
[plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = "overlayfs"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
SystemdCgroup = false
""")
    # Every pod has a link of its own to the node, so that what pods say to each other passes the node's packet filter.
    write(node / "cni/10-rutter.conflist", json.dumps({"cniVersion": "0.4.0", "name": "pods", "plugins": [{
        "type": "ptp", "ipam": {"type": "host-local", "subnet": POD_NETWORK, "routes": [{"dst": "0.0.0.0/0"}]},
    }]}))
    write(node / "kubelet.json", json.dumps({
        "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
        "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": True}, "x509": {"clientCAFile": str(folder / "pki/ca.crt")}},
        "authorization": {"mode": "Webhook"}, "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
        "cgroupDriver": "cgroupfs", "failCgroupV1": False, "failSwapOn": False, "oomScoreAdj": 0,
        # The disk and the memory are those of a machine that does other things too.
        "evictionHard": {
            "memory.available": "1Mi", "nodefs.available": "0%", "nodefs.inodesFree": "0%", "imagefs.available": "0%", "imagefs.inodesFree": "0%",
        },
        "imageGCHighThresholdPercent": 100, "imageGCLowThresholdPercent": 99,
        "clusterDNS": [DNS_SERVICE], "clusterDomain": DNS_DOMAIN, "resolvConf": str(node / "resolv.conf"),
        "volumePluginDir": "/var/lib/kubelet/volume-plugins",
    }))
    write(node / "kube-proxy.json", json.dumps({
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1", "kind": "KubeProxyConfiguration", "mode": "nftables", "clusterCIDR": POD_NETWORK,
        "hostnameOverride": NODE, "clientConnection": {"kubeconfig": str(folder / "kube-proxy.kubeconfig")},
        # Zero leaves the machine's settings as they are.
        "conntrack": {"maxPerCore": 0, "min": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s"},
    }))
    certificate(folder / "pki", NODE, f"/O=system:nodes/CN=system:node:{NODE}")
    certificate(folder / "pki", "kube-proxy", "/CN=system:kube-proxy")
    for name in (NODE, "kube-proxy"):
        kubeconfig(folder, name, plane.server(folder))


def command(folder, name):
    node = folder / "node"
    if name == "containerd":
        return ["containerd", "--config", node / "containerd.toml"]
    if name == "kubelet":
        return [
            PROGRAM, "kubelet", f"--config={node / 'kubelet.json'}", f"--kubeconfig={folder / f'{NODE}.kubeconfig'}",
            f"--hostname-override={NODE}", f"--node-ip={NODE_ADDRESS}",
        ]
    if name == "kube-scheduler":
        return plane.scheduler(folder, PROGRAM)
    if name == "kube-proxy":
        return [PROGRAM, "kube-proxy", f"--config={node / 'kube-proxy.json'}"]
    return [sys.executable, "-B", ROOT / "deploy/kube/policies.py", folder]


def start(folder, name):
    if pid_of(folder, name) is not None:
        return
    if name == "kube-proxy":
        # It leaves chains that an earlier one made empty.
        for family in ("ip", "ip6"):
            inside(folder, "nft", "delete", "table", family, "kube-proxy", may_fail=True)
    launch(folder, name, [str(part) for part in [*entering(folder), *command(folder, name)]])


def wait(folder, what, holds, patience=120):
    until = time.monotonic() + patience
    while not holds():
        for name in NAMES:
            if (folder / f"{name}.pid").exists() and pid_of(folder, name) is None:
                die(f"{name} ended; its last words:\n{last_words(folder, name)}")
        if time.monotonic() > until:
            die(f"{what}: not in {patience} s; the last words of kubelet:\n{last_words(folder, 'kubelet')}")
        time.sleep(0.2)


# --- images and names -----------------------------------------------------------------------------------------------------------------


def take_in(folder, *archives):
    """Takes in images from OCI archives, so that pods find them without a registry."""
    for archive in archives:
        inside(folder, "ctr", "--namespace", "k8s.io", "images", "import", archive)


def image_of(folder, name, program):
    """An image of one program and nothing else."""
    layer = oci.Layer(program.name)
    layer.file(f"/{program.name}", program, 0o755)
    archive = folder / "node" / f"{program.name}.tar"
    oci.write(archive, name, [layer], {"Entrypoint": [f"/{program.name}"]}, {"org.opencontainers.image.title": program.name})
    return archive


def names(folder):
    """CoreDNS, where the network policies of charts expect it."""
    zone = f"{DNS_DOMAIN} in-addr.arpa ip6.arpa"
    corefile = f".:53 {{\n  errors\n  ready\n  kubernetes {zone} {{\n    pods insecure\n  }}\n}}\n"
    meta = lambda name, **more: {"name": name, "namespace": "kube-system", **more}
    labels = {"k8s-app": "kube-dns"}
    pod = {
        "serviceAccountName": "coredns", "dnsPolicy": "Default",
        "containers": [{
            "name": "coredns", "image": DNS, "imagePullPolicy": "Never", "args": ["-conf", "/etc/coredns/Corefile"],
            "readinessProbe": {"httpGet": {"path": "/ready", "port": 8181}, "periodSeconds": 1},
            "securityContext": {
                "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]},
            },
            "volumeMounts": [{"name": "settings", "mountPath": "/etc/coredns"}],
        }],
        "volumes": [{"name": "settings", "configMap": {"name": "coredns"}}],
    }
    ports = [{"name": "dns", "port": 53, "protocol": "UDP"}, {"name": "dns-tcp", "port": 53, "protocol": "TCP"}]
    resources = [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta("coredns")},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "system:coredns"}, "rules": [
            {"apiGroups": [""], "resources": ["endpoints", "services", "pods", "namespaces"], "verbs": ["list", "watch"]},
            {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": ["list", "watch"]},
        ]},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "system:coredns"},
         "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "system:coredns"},
         "subjects": [{"kind": "ServiceAccount", "name": "coredns", "namespace": "kube-system"}]},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta("coredns"), "data": {"Corefile": corefile}},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta("coredns", labels=labels),
         "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}}},
        {"apiVersion": "v1", "kind": "Service", "metadata": meta("kube-dns", labels=labels),
         "spec": {"clusterIP": DNS_SERVICE, "selector": labels, "ports": ports}},
    ]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": resources})


# --- up and down -----------------------------------------------------------------------------------------------------------------------


def up(folder):
    if os.geteuid() != 0:
        die("a node needs root: namespaces, mounts and cgroups are its work")
    for program in (PROGRAM, CACHE / "coredns", CACHE / "pause"):
        if not program.exists():
            die(f"there is no {program.name} in .cache/kube: build it by deploy/kube/setup.sh node")
    folder.mkdir(parents=True, exist_ok=True)
    make_namespaces(folder)
    admin = plane.up(folder, address=HOST)
    write_settings(folder)
    start(folder, "containerd")
    wait(folder, "containerd answers", lambda: inside(folder, "ctr", "version", may_fail=True).returncode == 0)
    take_in(folder, image_of(folder, PAUSE, CACHE / "pause"), image_of(folder, DNS, CACHE / "coredns"))
    if not (folder / "node/sysctls.json").exists():
        (folder / "node/sysctls.json").write_text(json.dumps({name: read_sysctl(name) for name in SYSCTLS}))
    for name in RUNNING:
        start(folder, name)
    ready = ["wait", "--for=condition=Ready", f"node/{NODE}", "--timeout=1s"]
    wait(folder, "the node is ready", lambda: kubectl(folder, *ready).returncode == 0)
    done = kubectl(folder, "apply", "--server-side", "--filename", "-", stdin=names(folder))
    if done.returncode != 0:
        die(f"kubectl apply: {done.stderr.strip()}")
    rolled = ["rollout", "status", "deployment/coredns", "--namespace", "kube-system", "--timeout=1s"]
    wait(folder, "names are answered", lambda: kubectl(folder, *rolled).returncode == 0)
    return admin


def read_sysctl(name):
    return pathlib.Path("/proc/sys", name).read_text().strip()


def down(folder):
    for name in RUNNING:
        end(folder, name)
    if pid_of(folder, "namespaces") is not None:
        if pid_of(folder, "containerd") is not None:
            remove_containers(folder)
        end(folder, "containerd")
        for place in sorted(of_node(folder, "/run/netns/*"), reverse=True):
            inside(folder, "umount", place, may_fail=True)
            inside(folder, "rm", "-f", place)
        for place in reversed(mounts(folder, "/var/lib/kubelet/")):
            inside(folder, "umount", "--lazy", place, may_fail=True)
        # Shims that outlived their containers.
        for pid in in_namespace(os.readlink(f"/proc/{pid_of(folder, 'namespaces')}/ns/mnt")):
            if pid != pid_of(folder, "namespaces"):
                kill(pid)
    if (folder / "node").exists():
        remove_cgroups()
        end(folder, "namespaces")
        run("ip", "link", "delete", LINK, may_fail=True)
        before = folder / "node/sysctls.json"
        if before.exists():
            for name, value in json.loads(before.read_text()).items():
                pathlib.Path("/proc/sys", name).write_text(value)
            before.unlink()
    plane.down(folder)


def remove_containers(folder):
    ctr = ["ctr", "--namespace", "k8s.io"]
    listed = lambda what: inside(folder, *ctr, what, "list", "--quiet", may_fail=True).stdout.split()
    tasks = listed("tasks")
    for task in tasks:
        inside(folder, *ctr, "tasks", "kill", "--all", "--signal", "SIGKILL", task, may_fail=True)
    for task in tasks:
        inside(folder, *ctr, "tasks", "delete", "--force", task, may_fail=True)
    containers = listed("containers")
    if containers:
        inside(folder, *ctr, "containers", "delete", *containers, may_fail=True)


def of_node(folder, pattern):
    return inside(folder, "sh", "-c", f"ls -d {pattern}", may_fail=True).stdout.split()


def mounts(folder, below):
    table = pathlib.Path(f"/proc/{pid_of(folder, 'namespaces')}/mounts").read_text()
    return [line.split()[1] for line in table.splitlines() if line.split()[1].startswith(below)]


def in_namespace(mount_namespace):
    """The processes of a mount namespace."""
    found = []
    for process in pathlib.Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                if os.readlink(process / "ns/mnt") == mount_namespace:
                    found.append(int(process.name))
            except OSError:
                pass
    return found


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def remove_cgroups(patience=20):
    """Ends what is left in the cgroups of pods, and removes them from the leaves to the root."""
    until = time.monotonic() + patience
    while True:
        groups = [group for root in CGROUPS.glob("*/kubepods") for group, *_ in os.walk(root, topdown=False)]
        if not groups:
            return
        for group in groups:
            try:
                for pid in pathlib.Path(group, "cgroup.procs").read_text().split():
                    kill(int(pid))
                os.rmdir(group)
            except OSError:
                pass
        if time.monotonic() > until:
            die(f"cgroups of pods cannot be removed: {groups[-1]}")
        time.sleep(0.1)


def left_behind(folder):
    """What a node leaves on the machine although it was ended: nothing, as it should be."""
    left = [str(group) for group in CGROUPS.glob("*/kubepods")]
    left += [name for name in [*NAMES, *plane.NAMES] if pid_of(folder, name) is not None]
    mounted = [line.split()[1] for line in pathlib.Path("/proc/mounts").read_text().splitlines()]
    left += [place for place in mounted if place.startswith((str(folder), "/var/lib/kubelet"))]
    left += [f"link {LINK}"] if run("ip", "link", "show", LINK, may_fail=True).returncode == 0 else []
    for process in pathlib.Path("/proc").iterdir():
        try:
            words = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace") if process.name.isdigit() else ""
        except OSError:
            continue
        if str(folder) in words and int(process.name) != os.getpid() and "containerd-shim" in words:
            left.append(words)
    return left


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    what, folder = arguments[0], pathlib.Path(arguments[1]).resolve()
    if what == "up":
        print(up(folder))
    elif what == "images":
        take_in(folder, *(pathlib.Path(archive).resolve() for archive in arguments[2:]))
    elif what == "status":
        for name in [*plane.NAMES, *NAMES]:
            pid = pid_of(folder, name)
            print(f"{name:<26}{'not running' if pid is None else f'running, process {pid}'}")
    elif what in ("down", "clean"):
        down(folder)
        if what == "clean":
            shutil.rmtree(folder, ignore_errors=True)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
