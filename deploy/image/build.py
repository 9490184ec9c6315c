"""Builds Rutter's images without a registry, as OCI archives.

    build.py service  --rutter FILE --operator FILE --weights DIR --output DIR
    build.py browser  --output DIR
    build.py servers  --output DIR
    build.py grid     --output DIR

`service` has every role and the operator, and nothing else: no shell, no package manager. `browser` has Chromium's headless shell and its
driver, `grid` the same with a Selenium Grid, as its hub and as its nodes. `servers` has Redis, PostgreSQL and Kafka, for trying out. All but
the first come from Debian's packages by `mmdebstrap`.
Sizes go to stdout as JSON. Each image has its bill of materials at /usr/share/rutter/sbom.json, and beside the archive.
"""

import argparse
import atexit
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import oci
import sbom

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
VERSION = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.M)[1]
USER = 65532
# What the service image may have beside the encoder's weights.
LARGEST_MIB = 120


def die(words):
    sys.exit(f"image: error: {words}")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        die(f"{command[0]}: {done.stderr.strip()}")
    return done.stdout


def labels(name, words):
    return {"org.opencontainers.image.title": name, "org.opencontainers.image.description": words,
            "org.opencontainers.image.version": VERSION, "org.opencontainers.image.licenses": "Apache-2.0"}


def libraries(programs):
    """The shared libraries of programs: where each is asked for, and the file that it is."""
    found = {}
    for program in programs:
        for line in run("ldd", str(program)).splitlines():
            path = re.search(r"(/\S+) \(0x", line)
            if "not found" in line:
                die(f"{program}: {line.strip()}")
            if path:
                found[path[1]] = pathlib.Path(path[1]).resolve()
    return found


def owners(files):
    """The Debian packages of files, with their versions."""
    packages = {}
    for file in files:
        said = subprocess.run(["dpkg", "-S", str(file)], capture_output=True, text=True)
        if said.returncode != 0:
            # Where /lib is a link to /usr/lib, packages know files by the other path.
            said = subprocess.run(["dpkg", "-S", str(file).removeprefix("/usr")], capture_output=True, text=True)
        if said.returncode == 0:
            name = said.stdout.split(":", 1)[0].split(",")[0]
            packages[name] = run("dpkg-query", "-W", "-f", "${Version}", name).strip()
    return packages


def people(layer):
    layer.text("/etc/passwd", f"root:x:0:0::/:/sbin/nologin\nrutter:x:{USER}:{USER}::/tmp:/sbin/nologin\n")
    layer.text("/etc/group", f"root:x:0:\nrutter:x:{USER}:\n")
    layer.text("/etc/nsswitch.conf", "hosts: files dns\n")
    layer.folder("/tmp", 0o1777)
    # A new volume of Docker has the owner of the folder that it is mounted at.
    layer.folder("/var/lib/rutter/blobs", owner=USER)


def service(arguments):
    programs = {"rutter": arguments.rutter, "rutter-operator": arguments.operator}
    shared = libraries(programs.values())
    base = oci.Layer("system libraries and certificates")
    people(base)
    for path, file in shared.items():
        base.file(path, file, 0o755)
    base.file("/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/certs/ca-certificates.crt", 0o644)
    weights = oci.Layer("weights of the sentence encoder")
    for file in sorted(pathlib.Path(arguments.weights).iterdir()):
        weights.file(f"/usr/share/rutter/minilm/{file.name}", file, 0o644)
    parts = oci.Layer("Rutter")
    for name, program in programs.items():
        parts.file(f"/usr/bin/{name}", program, 0o755)
    parts.file("/usr/share/rutter/LICENSE", ROOT / "LICENSE", 0o644)
    of_debian = owners([*shared.values(), "/usr/share/ca-certificates"])
    bill = sbom.document("rutter/rutter", sbom.crates(ROOT, ["rutter", "operator"]) + sbom.debian(of_debian))
    parts.text("/usr/share/rutter/sbom.json", bill)
    config = {
        "User": f"{USER}:{USER}", "Entrypoint": ["/usr/bin/rutter"], "WorkingDir": "/tmp",
        "Env": ["PATH=/usr/bin", "RUTTER_MINILM_DIR=/usr/share/rutter/minilm", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"],
    }
    return [base, weights, parts], config, "Every role of Rutter and its operator", bill


def debian_root(packages, extra=()):
    """A root file system of Debian's packages, without documentation and package lists: its tar file and the packages in it."""
    if subprocess.run(["which", "mmdebstrap"], capture_output=True).returncode != 0:
        die("mmdebstrap is needed: deploy/kube/setup.sh images installs it")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="rutter-image."))
    # The file system is read once more when the archive is written.
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    suite = re.search(r"^VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text(), re.M)[1]
    leave_out = ["/usr/share/doc/*", "/usr/share/man/*", "/usr/share/info/*", "/usr/share/locale/*", "/var/cache/apt/*", "/var/lib/apt/lists/*"]
    command = [
        "mmdebstrap", "--quiet", "--variant=minbase", "--aptopt=Apt::Install-Recommends \"false\"", f"--include={','.join(packages)}",
        *[f"--dpkgopt=path-exclude={pattern}" for pattern in leave_out],
        # Packages link their manuals when they are configured, and fail where there is no folder for them.
        "--essential-hook=mkdir -p \"$1\"/usr/share/man/man1 \"$1\"/usr/share/man/man7",
        f"--customize-hook=echo rutter:x:{USER}:{USER}::/tmp:/usr/sbin/nologin >> \"$1/etc/passwd\"",
        f"--customize-hook=echo rutter:x:{USER}: >> \"$1/etc/group\"",
        *[f"--customize-hook={hook}" for hook in extra],
        "--customize-hook=rm -rf \"$1\"/var/cache/apt/* \"$1\"/var/lib/apt/lists/* \"$1\"/var/log/*",
        f"--customize-hook=dpkg-query --admindir=\"$1/var/lib/dpkg\" -W -f '${{Package}} ${{Version}}\\n' > {folder}/packages",
        suite, str(folder / "root.tar"),
    ]
    run(*command)
    listed = dict(line.split(" ", 1) for line in (folder / "packages").read_text().splitlines())
    return folder / "root.tar", listed


def chromium(*more):
    """A root file system with Chromium's headless shell and its driver, and the packages in it."""
    packages = ["chromium-headless-shell", "chromium-driver", "fonts-dejavu-core", "ca-certificates", "tini", *more]
    # The driver looks for a browser of these names. In a pod Chromium's own sandbox has no user namespaces: the container is the sandbox.
    shell = "/usr/lib/chromium/chromium-headless-shell"
    hook = f"printf '#!/bin/sh\\nexec {shell} --no-sandbox \"$@\"\\n' > \"$1/usr/bin/chromium\" && ln -sf chromium \"$1/usr/bin/google-chrome\""
    # Packages bring along the Chromium that has windows, and what draws on graphics cards.
    unused = ["lib/chromium/chromium", "lib/chromium/libVkLayer*", "lib/*/dri", "lib/*/libLLVM*", "lib/*/libz3*", "share/icons"]
    return debian_root(packages, [hook, "rm -rf " + " ".join(f"\"$1\"/usr/{path}" for path in unused)])


def browser(_):
    root, listed = chromium()
    bill = sbom.document("rutter/browser", sbom.debian(listed))
    parts = oci.Layer("bill of materials")
    parts.text("/usr/share/rutter/sbom.json", bill)
    # Somebody must wait for the children that a browser leaves behind.
    config = {"User": f"{USER}:{USER}", "Entrypoint": ["/usr/bin/tini", "--", "/usr/bin/chromedriver"], "WorkingDir": "/tmp", "Env": ["HOME=/tmp"]}
    return [oci.Tarball("Debian with Chromium", root), parts], config, "Chromium's headless shell and its driver", bill


def jars(layer, name):
    """Puts what `deploy/local/setup.sh servers` fetched under a name into /opt."""
    folders = sorted((ROOT / ".cache").glob(f"{name}-*"))
    if not folders:
        die(f"{name} is needed: deploy/local/setup.sh servers fetches it")
    for jar in sorted(folders[-1].iterdir()):
        layer.file(f"/opt/{name}/{jar.name}", jar, 0o644)


def scripts(layer, folder):
    for script in sorted((HERE / folder).iterdir()):
        layer.file(f"/usr/local/bin/{script.name}", script, 0o755)


def of_servers():
    """How images run whose containers say which of their servers is meant."""
    return {"User": f"{USER}:{USER}", "Entrypoint": ["/usr/bin/tini", "--"], "WorkingDir": "/tmp",
            "Env": ["HOME=/tmp", "PATH=/usr/local/bin:/usr/bin:/bin"]}


def grid(_):
    root, listed = chromium("default-jre-headless")
    bill = sbom.document("rutter/grid", sbom.debian(listed))
    parts = oci.Layer("Selenium Grid and what starts it")
    jars(parts, "grid")
    scripts(parts, "grid")
    parts.text("/usr/share/rutter/sbom.json", bill)
    return [oci.Tarball("Debian with Chromium and Java", root), parts], of_servers(), "A Selenium Grid: its hub, and nodes with Chromium's headless shell", bill


def servers(_):
    root, listed = debian_root(["redis-server", "postgresql", "default-jre-headless", "ca-certificates", "tini"])
    bill = sbom.document("rutter/servers", sbom.debian(listed))
    parts = oci.Layer("Kafka and what starts the servers")
    jars(parts, "kafka")
    scripts(parts, "servers")
    parts.folder("/data", owner=USER)
    parts.text("/usr/share/rutter/sbom.json", bill)
    config = of_servers()
    return [oci.Tarball("Debian with Redis, PostgreSQL and Java", root), parts], config, "Redis, PostgreSQL and Kafka, for trying out", bill


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("image", choices=["service", "browser", "servers", "grid"])
    parser.add_argument("--rutter", default=ROOT / "target/dist/rutter", type=pathlib.Path)
    parser.add_argument("--operator", default=ROOT / "target/dist/rutter-operator", type=pathlib.Path)
    parser.add_argument("--weights", default=ROOT / ".cache/minilm", type=pathlib.Path)
    parser.add_argument("--output", default=ROOT / "target/images", type=pathlib.Path)
    parser.add_argument("--tag", default=VERSION)
    arguments = parser.parse_args()
    name = "rutter" if arguments.image == "service" else arguments.image
    layers, config, words, bill = {"service": service, "browser": browser, "servers": servers, "grid": grid}[arguments.image](arguments)
    archive = arguments.output / f"{name}.tar"
    sizes = oci.write(archive, f"localhost/rutter/{name}:{arguments.tag}", layers, config, labels(name, words))
    archive.with_suffix(".sbom.json").write_text(bill)
    mib = lambda count: round(count / 2**20, 1)
    told = {"image": f"localhost/rutter/{name}:{arguments.tag}", "archive": str(archive),
            "layers": [{"what": what, "mib": mib(plain), "packed_mib": mib(packed)} for what, plain, packed in sizes]}
    print(json.dumps(told, indent=1))
    beside_weights = sum(layer["mib"] for layer in told["layers"] if "weights" not in layer["what"])
    if arguments.image == "service" and beside_weights > LARGEST_MIB:
        print(f"image: the service image has {beside_weights:.1f} MiB beside the weights; {LARGEST_MIB} are its limit", file=sys.stderr)


if __name__ == "__main__":
    main()
