"""OCI images put together from files, without a registry and without an engine: an archive that `ctr images import`, `docker load` and
`podman load` take. The same files make the same archive, byte for byte."""

import gzip
import hashlib
import io
import json
import os
import pathlib
import stat
import tarfile

EPOCH = "1970-01-01T00:00:00Z"
TYPES = "application/vnd.oci.image"


class Layer:
    """Files of one layer, each with its content or its place on this machine."""

    def __init__(self, what):
        self.what, self.entries = what, {}

    def folder(self, path, mode=0o755, owner=0):
        for parent in reversed(pathlib.PurePosixPath(path).parents):
            if str(parent) not in (".", "/"):
                self.entries.setdefault(str(parent).strip("/"), ("folder", 0o755, 0, None))
        self.entries[path.strip("/")] = ("folder", mode, owner, None)

    def text(self, path, content, mode=0o644):
        self.folder(str(pathlib.PurePosixPath(path).parent))
        self.entries[path.strip("/")] = ("content", mode, 0, content.encode())

    def file(self, path, source, mode=None):
        self.folder(str(pathlib.PurePosixPath(path).parent))
        mode = mode if mode is not None else stat.S_IMODE(os.stat(source).st_mode)
        self.entries[path.strip("/")] = ("file", mode, 0, pathlib.Path(source))

    def link(self, path, target):
        self.folder(str(pathlib.PurePosixPath(path).parent))
        self.entries[path.strip("/")] = ("link", 0o777, 0, target)

    def tar(self):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for path in sorted(self.entries):
                kind, mode, owner, what = self.entries[path]
                info = tarfile.TarInfo(path)
                info.mode, info.uid, info.gid = mode, owner, owner
                if kind == "folder":
                    info.type = tarfile.DIRTYPE
                    archive.addfile(info)
                elif kind == "link":
                    info.type, info.linkname = tarfile.SYMTYPE, what
                    archive.addfile(info)
                else:
                    content = what if kind == "content" else what.read_bytes()
                    info.size = len(content)
                    archive.addfile(info, io.BytesIO(content))
        return buffer.getvalue()


class Tarball:
    """A layer that stands in a tar file already, such as a root file system of Debian."""

    def __init__(self, what, path):
        self.what, self.path = what, pathlib.Path(path)

    def tar(self):
        return self.path.read_bytes()


def digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


def write(path, name, layers, config, labels):
    """Writes an image and gives back `[(what, bytes unpacked, bytes packed)]` for its layers."""
    blobs, described, history, sizes = {}, [], [], []
    for layer in layers:
        plain = layer.tar()
        packed = gzip.compress(plain, compresslevel=6, mtime=0)
        blobs[digest(packed)] = packed
        described.append(({"mediaType": f"{TYPES}.layer.v1.tar+gzip", "digest": digest(packed), "size": len(packed)}, digest(plain)))
        history.append({"created": EPOCH, "created_by": layer.what})
        sizes.append((layer.what, len(plain), len(packed)))
    image = json.dumps({
        "created": EPOCH, "architecture": {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine], "os": "linux",
        "config": {**config, "Labels": labels}, "rootfs": {"type": "layers", "diff_ids": [plain for _, plain in described]}, "history": history,
    }).encode()
    blobs[digest(image)] = image
    manifest = json.dumps({
        "schemaVersion": 2, "mediaType": f"{TYPES}.manifest.v1+json",
        "config": {"mediaType": f"{TYPES}.config.v1+json", "digest": digest(image), "size": len(image)},
        "layers": [layer for layer, _ in described],
    }).encode()
    blobs[digest(manifest)] = manifest
    index = {
        "schemaVersion": 2, "mediaType": f"{TYPES}.index.v1+json",
        "manifests": [{
            "mediaType": f"{TYPES}.manifest.v1+json", "digest": digest(manifest), "size": len(manifest),
            "annotations": {"io.containerd.image.name": name, "org.opencontainers.image.ref.name": name.rsplit(":", 1)[1]},
        }],
    }
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        def add(member, content):
            info = tarfile.TarInfo(member)
            info.size, info.mode = len(content), 0o644
            archive.addfile(info, io.BytesIO(content))
        add("oci-layout", json.dumps({"imageLayoutVersion": "1.0.0"}).encode())
        add("index.json", json.dumps(index).encode())
        # Docker before version 25 knows the same files by this list only.
        place = lambda name_of_blob: f"blobs/{name_of_blob.replace(':', '/')}"
        listed = [{"Config": place(digest(image)), "RepoTags": [name], "Layers": [place(layer["digest"]) for layer, _ in described]}]
        add("manifest.json", json.dumps(listed).encode())
        for name_of_blob in sorted(blobs):
            add(place(name_of_blob), blobs[name_of_blob])
    return sizes
