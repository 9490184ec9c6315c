"""What an image is made of, as CycloneDX: the crates that the programs are built from, and the Debian packages that files come from."""

import json
import subprocess


def crates(root, packages):
    """The libraries that the programs are linked from, with their licences."""
    listed = subprocess.run(
        ["cargo", "tree", "--locked", "--edges", "normal", "--prefix", "none", "--format", "{p}\t{l}",
         *[word for package in packages for word in ("--package", package)]],
        cwd=root, capture_output=True, text=True, check=True,
    )
    found = {}
    # A blank line stands between the trees of two packages.
    for line in filter(None, listed.stdout.splitlines()):
        described, _, licence = line.partition("\t")
        name, version = described.split(" ")[:2]
        found[(name, version.lstrip("v"))] = licence.removesuffix(" (*)").strip()
    return [
        {"type": "library", "name": name, "version": version, "purl": f"pkg:cargo/{name}@{version}",
         **({"licenses": [{"expression": licence}]} if licence else {})}
        for (name, version), licence in sorted(found.items())
    ]


def debian(packages):
    """Debian packages, given as `{name: version}`."""
    return [
        {"type": "library", "name": name, "version": version, "purl": f"pkg:deb/debian/{name}@{version}"}
        for name, version in sorted(packages.items())
    ]


def document(name, components):
    return json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": {"type": "container", "name": name}}, "components": components,
    }, indent=1)
