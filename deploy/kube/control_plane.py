"""The control plane of a Kubernetes cluster on this machine: etcd, API server and controller manager, on loopback.

    control_plane.py up DIR        start what is not running, wait until it answers, print where its kubeconfig is;
                                   with KUBECONFIG nothing is started, and its cluster is the one of DIR
    control_plane.py status DIR    one line for each process
    control_plane.py stop DIR NAME, start DIR NAME    end or start one of them
    control_plane.py kubectl DIR ARGUMENT…    asks its API server
    control_plane.py down DIR      end all; `clean` also removes DIR

Everything stands in DIR: certificates, data, logs, ids of processes. Each process leads a session of its own and is ended by its
id, which is compared with the moment of its start first. The program is `.cache/kube/kube-plane` (deploy/kube/setup.sh plane), or
`.cache/kube/kube-node`, which has more. With a node (node.py) the API server is at an address that pods reach.
"""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = [ROOT / ".cache/kube/kube-plane", ROOT / ".cache/kube/kube-node"]
# The one that was built last: the other may be of an earlier version.
PROGRAM = max((program for program in PROGRAMS if program.exists()), key=lambda program: program.stat().st_mtime, default=PROGRAMS[0])
NAMES = ["etcd", "kube-apiserver", "kube-controller-manager"]
SERVICE_NETWORK, API_SERVICE = "10.96.0.0/16", "10.96.0.1"
LOOPBACK = "127.0.0.1"


def die(words):
    sys.exit(f"kube: error: {words}")


# --- processes ------------------------------------------------------------------------------------------------------------


def started(pid):
    """The moment of a process's start, which tells it from a later one of the same number; none when it has ended."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return None
    return None if fields[0] == "Z" else fields[19]


def pid_of(folder, name):
    """The id of a process that is alive and was started by this program."""
    try:
        known = json.loads((folder / f"{name}.pid").read_text())
    except (OSError, ValueError):
        return None
    return known["pid"] if started(known["pid"]) == known["started"] else None


def launch(folder, name, command, environment=None):
    with open(folder / f"{name}.log", "ab") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd=folder,
            env={**os.environ, **(environment or {})},
        )
    (folder / f"{name}.pid").write_text(json.dumps({"pid": process.pid, "started": started(process.pid)}))
    return process


def end(folder, name, patience=20):
    """Asks a process to end, and kills it when it does not."""
    pid = pid_of(folder, name)
    if pid is None:
        return
    os.kill(pid, signal.SIGTERM)
    until = time.monotonic() + patience
    while pid_of(folder, name) is not None:
        if time.monotonic() > until:
            os.killpg(pid, signal.SIGKILL)
        reap(pid)
        time.sleep(0.05)


def reap(pid):
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        pass


def last_words(folder, name):
    try:
        return "".join(f"    {line}\n" for line in (folder / f"{name}.log").read_text(errors="replace").splitlines()[-5:])
    except OSError:
        return ""


# --- certificates -----------------------------------------------------------------------------------------------------------


def openssl(*arguments):
    done = subprocess.run(["openssl", *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        die(f"openssl {arguments[0]}: {done.stderr.strip()}")


def authority(folder, name):
    key, certificate = folder / f"{name}.key", folder / f"{name}.crt"
    if not certificate.exists():
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "3650",
                "-subj", f"/CN={name}", "-keyout", str(key), "-out", str(certificate))


def certificate(folder, name, subject, by="ca", names=""):
    key, request, signed = folder / f"{name}.key", folder / f"{name}.csr", folder / f"{name}.crt"
    if signed.exists():
        return
    openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-subj", subject, "-keyout", str(key), "-out", str(request))
    extensions = folder / f"{name}.ext"
    extensions.write_text("extendedKeyUsage=serverAuth,clientAuth\n" + (f"subjectAltName={names}\n" if names else ""))
    openssl("x509", "-req", "-in", str(request), "-CA", str(folder / f"{by}.crt"), "-CAkey", str(folder / f"{by}.key"),
            "-CAcreateserial", "-days", "3650", "-extfile", str(extensions), "-out", str(signed))


def kubeconfig(folder, name, server):
    pki = folder / "pki"
    content = {
        "apiVersion": "v1", "kind": "Config", "current-context": "here",
        "clusters": [{"name": "here", "cluster": {"server": server, "certificate-authority": str(pki / "ca.crt")}}],
        "users": [{"name": name, "user": {"client-certificate": str(pki / f"{name}.crt"), "client-key": str(pki / f"{name}.key")}}],
        "contexts": [{"name": "here", "context": {"cluster": "here", "user": name}}],
    }
    path = folder / f"{name}.kubeconfig"
    path.write_text(json.dumps(content, indent=1))
    path.chmod(0o600)
    return path


def make_keys(folder):
    pki, address = folder / "pki", ports(folder)["address"]
    pki.mkdir(parents=True, exist_ok=True)
    pki.chmod(0o700)
    authority(pki, "ca")
    authority(pki, "front-proxy-ca")
    certificate(pki, "apiserver", "/CN=kube-apiserver",
                names=f"IP:{address},IP:{API_SERVICE},DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc")
    certificate(pki, "admin", "/O=system:masters/CN=admin")
    certificate(pki, "controller-manager", "/CN=system:kube-controller-manager")
    certificate(pki, "kubelet-client", "/O=system:masters/CN=kube-apiserver-kubelet-client")
    certificate(pki, "front-proxy", "/CN=front-proxy-client", by="front-proxy-ca")
    if not (pki / "accounts.key").exists():
        openssl("genrsa", "-out", str(pki / "accounts.key"), "2048")


# --- the control plane ---------------------------------------------------------------------------------------------------------


def ports(folder, address=LOOPBACK):
    """The API server's address and all ports, which stay the same for as long as the folder stands."""
    path = folder / "ports.json"
    if not path.exists():
        names = ["etcd", "etcd-peer", "apiserver", "controller-manager"]
        sockets = [socket.socket() for _ in names]
        for one in sockets:
            one.bind((LOOPBACK, 0))
        chosen = {name: one.getsockname()[1] for name, one in zip(names, sockets)}
        # Where pods reach the API server, its port is the one that network policies name.
        path.write_text(json.dumps({"address": address, **chosen, **({} if address == LOOPBACK else {"apiserver": 6443})}))
        for one in sockets:
            one.close()
    return {"address": LOOPBACK, **json.loads(path.read_text())}


def command(folder, name):
    at, pki = ports(folder), folder / "pki"
    etcd = f"http://127.0.0.1:{at['etcd']}"
    if name == "etcd":
        peer = f"http://127.0.0.1:{at['etcd-peer']}"
        return [
            PROGRAM, "etcd", "--name=here", f"--data-dir={folder / 'etcd'}", f"--listen-client-urls={etcd}",
            f"--advertise-client-urls={etcd}", f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=here={peer}", "--unsafe-no-fsync", "--log-level=warn",
        ]
    if name == "kube-apiserver":
        # The service `kubernetes` leads to its address, which may not be loopback.
        endpoints = "none" if at["address"] == LOOPBACK else "lease"
        return [
            PROGRAM, "kube-apiserver", f"--etcd-servers={etcd}", f"--bind-address={at['address']}", f"--secure-port={at['apiserver']}",
            f"--advertise-address={at['address']}", f"--endpoint-reconciler-type={endpoints}", f"--service-cluster-ip-range={SERVICE_NETWORK}",
            "--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction",
            f"--client-ca-file={pki / 'ca.crt'}", f"--tls-cert-file={pki / 'apiserver.crt'}",
            f"--tls-private-key-file={pki / 'apiserver.key'}", "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={pki / 'accounts.key'}", f"--service-account-signing-key-file={pki / 'accounts.key'}",
            f"--kubelet-client-certificate={pki / 'kubelet-client.crt'}", f"--kubelet-client-key={pki / 'kubelet-client.key'}",
            f"--requestheader-client-ca-file={pki / 'front-proxy-ca.crt'}", "--requestheader-allowed-names=front-proxy-client",
            "--requestheader-extra-headers-prefix=X-Remote-Extra-", "--requestheader-group-headers=X-Remote-Group",
            "--requestheader-username-headers=X-Remote-User", f"--proxy-client-cert-file={pki / 'front-proxy.crt'}",
            f"--proxy-client-key-file={pki / 'front-proxy.key'}", "--profiling=false",
            # Nobody answers for the names of nodes.
            "--kubelet-preferred-address-types=InternalIP",
        ]
    return [
        PROGRAM, "kube-controller-manager", f"--kubeconfig={folder / 'controller-manager.kubeconfig'}",
        f"--authentication-kubeconfig={folder / 'controller-manager.kubeconfig'}",
        f"--authorization-kubeconfig={folder / 'controller-manager.kubeconfig'}", "--bind-address=127.0.0.1",
        f"--secure-port={at['controller-manager']}", "--leader-elect=false", "--use-service-account-credentials=true",
        f"--service-account-private-key-file={pki / 'accounts.key'}", f"--root-ca-file={pki / 'ca.crt'}",
        f"--cluster-signing-cert-file={pki / 'ca.crt'}", f"--cluster-signing-key-file={pki / 'ca.key'}",
        "--kube-api-qps=200", "--kube-api-burst=400",
    ]


def scheduler(folder, program):
    """The command of a scheduler, with an account and a certificate of its own."""
    certificate(folder / "pki", "kube-scheduler", "/CN=system:kube-scheduler")
    path = kubeconfig(folder, "kube-scheduler", server(folder))
    return [
        program, "kube-scheduler", f"--kubeconfig={path}", f"--authentication-kubeconfig={path}", f"--authorization-kubeconfig={path}",
        "--bind-address=127.0.0.1", "--leader-elect=false", "--kube-api-qps=200", "--kube-api-burst=400",
    ]


def adopt(folder, given):
    """Takes the present context of somebody's KUBECONFIG for the cluster that a folder is about, with all that it needs in one file."""
    folder.mkdir(parents=True, exist_ok=True)
    asked = [PROGRAM, "config", "view", "--flatten", "--minify", "--raw", "--output", "json"]
    done = subprocess.run([asked[0], "kubectl", *asked[1:]], capture_output=True, text=True, env={**os.environ, "KUBECONFIG": given})
    if done.returncode != 0:
        die(f"KUBECONFIG ({given}): {done.stderr.strip()}")
    admin = folder / "admin.kubeconfig"
    admin.touch(mode=0o600)
    admin.write_text(done.stdout)
    asked = kubectl(folder, "get", "--raw", "/version")
    if asked.returncode != 0:
        die(f"the cluster of KUBECONFIG ({given}) does not answer: {asked.stderr.strip()}")
    return json.loads(done.stdout)["clusters"][0]["cluster"]["server"]


def kubectl(folder, *arguments, stdin=None):
    environment = {**os.environ, "KUBECONFIG": str(folder / "admin.kubeconfig"), "KUBECACHEDIR": str(folder / "cache"), "KUBERC": "off"}
    return subprocess.run([PROGRAM, "kubectl", *arguments], input=stdin, capture_output=True, text=True, env=environment)


def start(folder, name):
    if pid_of(folder, name) is None:
        launch(folder, name, command(folder, name))


def server(folder):
    at = ports(folder)
    return f"https://{at['address']}:{at['apiserver']}"


def up(folder, patience=120, address=LOOPBACK):
    if not PROGRAM.exists():
        die("there is no Kubernetes in .cache/kube: build it by deploy/kube/setup.sh plane")
    folder.mkdir(parents=True, exist_ok=True)
    ports(folder, address)
    make_keys(folder)
    kubeconfig(folder, "controller-manager", server(folder))
    admin = kubeconfig(folder, "admin", server(folder))
    until = time.monotonic() + patience
    start(folder, "etcd")
    start(folder, "kube-apiserver")
    answers(folder, until, "get", "--raw", "/readyz")
    # It ends where its rights are not there yet, which the API server writes as it becomes ready.
    start(folder, "kube-controller-manager")
    # The account of pods is made by the controller manager, once all of it works.
    answers(folder, until, "get", "serviceaccount", "default", "--namespace", "default")
    return admin


def answers(folder, until, *arguments):
    """Waits until a command of kubectl works."""
    while True:
        done = kubectl(folder, *arguments)
        if done.returncode == 0:
            return
        for name in NAMES:
            if (folder / f"{name}.pid").exists() and pid_of(folder, name) is None:
                die(f"{name} ended; its last words:\n{last_words(folder, name)}")
        if time.monotonic() > until:
            die(f"kubectl {' '.join(arguments)}: {done.stderr.strip()}\n{last_words(folder, 'kube-apiserver')}")
        time.sleep(0.2)


def down(folder):
    for name in reversed(NAMES):
        # The API server waits for every client that watches; it keeps nothing itself.
        end(folder, name, patience=2 if name == "kube-apiserver" else 20)


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    what, folder = arguments[0], pathlib.Path(arguments[1]).resolve()
    if what == "up":
        given = os.environ.get("KUBECONFIG")
        print(f"the cluster of KUBECONFIG: {adopt(folder, given)}" if given else up(folder))
    elif what == "status":
        for name in NAMES:
            pid = pid_of(folder, name)
            print(f"{name:<26}{'not running' if pid is None else f'running, process {pid}'}")
    elif what == "kubectl":
        done = kubectl(folder, *arguments[2:])
        print(done.stdout, end="")
        print(done.stderr, end="", file=sys.stderr)
        sys.exit(done.returncode)
    elif what == "start":
        start(folder, arguments[2])
    elif what == "stop":
        end(folder, arguments[2])
    elif what in ("down", "clean"):
        down(folder)
        if what == "clean":
            shutil.rmtree(folder, ignore_errors=True)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
