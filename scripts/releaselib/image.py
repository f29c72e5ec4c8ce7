"""The container image, as an OCI image layout for all architectures.

    index.json ─▶ index, by version ─▶ manifest of each architecture ─▶ config, layers

The image has jprof in /opt/jprof, glibc and a shell with cp, tar and ps (busybox). So it can record
the programs of other containers, and copy the library to a volume that containers share.
"""

import hashlib
import json
import os
import subprocess
import tarfile
import time

from releaselib import archives, project

PREFIX = "opt/jprof"
DEBIAN_PACKAGES = ["libc6", "busybox-static"]
APPLETS = ["cat", "chmod", "cp", "df", "du", "env", "find", "grep", "id", "kill", "less", "ln",
           "ls", "mkdir", "mv", "ps", "rm", "sed", "sh", "sleep", "tail", "tar", "top", "vi"]
# The files of glibc's package that jprof needs (cmake/check_library.sh).
GLIBC = ("ld-linux-", "libc.so.", "libdl.so.", "libm.so.", "libpthread.so.", "librt.so.")
MEDIA = "application/vnd.oci.image."


def fetch(folder):
    """Downloads the packages of Debian that the image contains to `folder`."""
    os.makedirs(folder, exist_ok=True)
    wanted = [f"{package}:{architecture.debian}" for package in DEBIAN_PACKAGES
              for architecture in project.ARCHITECTURES]
    command = ["apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", *wanted]
    if subprocess.run(command, cwd=folder, check=False).returncode != 0:
        project.run("apt-get", "update", "-qq")  # the lists of packages were out of date
        project.run(*command, cwd=folder)


def debian_packages(folder, architecture):
    """Returns the paths of the downloaded packages of an architecture, by name."""
    return {name.split("_")[0]: os.path.join(folder, name) for name in sorted(os.listdir(folder))
            if name.endswith(f"_{architecture.debian}.deb")}


def _place(path):
    """Returns where a file of a package is in the image; None if the image does not need it. All
    files are below /usr, in older releases of Debian too."""
    path = path.removeprefix("./").removeprefix("usr/")
    is_wanted = (path.startswith("lib") and os.path.basename(path).startswith(GLIBC)
                 or path == "bin/busybox" or path.endswith("/copyright"))
    return f"usr/{path}" if is_wanted else None


def base_layer(packages):
    """Returns the files of the layer below jprof's: those of the packages, and links of busybox."""
    tree = archives.Tree()
    for name, package in packages.items():
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package],
                              stdout=subprocess.PIPE) as unpacking:
            with tarfile.open(fileobj=unpacking.stdout, mode="r|") as archive:
                for entry in archive:
                    path = _place(entry.name)
                    if path and entry.issym():
                        tree.link(path, entry.linkname)
                    elif path and entry.isreg():
                        tree.add(path, archive.extractfile(entry).read(), entry.mode & 0o777)
        # Scanners of images look here for the packages of an image that has no dpkg.
        tree.add(f"var/lib/dpkg/status.d/{name}", project.run("dpkg-deb", "--field", package))
    for applet in APPLETS:
        tree.link(f"usr/bin/{applet}", "busybox")
    for folder in ("bin", "lib", "lib64"):
        if f"usr/{folder}" in tree.entries:
            tree.link(folder, f"usr/{folder}")
    tree.add("etc/passwd", "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n")
    tree.add("etc/group", "root:x:0:\nnogroup:x:65534:\n")
    tree.folder("root", 0o700)
    tree.folder("tmp", 0o1777)
    return tree


def jprof_layer(installed):
    tree = archives.Tree()
    tree.copy(installed, PREFIX)
    return tree


class Layout:
    """The files of an image layout."""

    def __init__(self):
        self.tree = archives.Tree()
        self.tree.add("oci-layout", '{"imageLayoutVersion":"1.0.0"}')

    def blob(self, data, media, **more):
        """Adds a blob, and returns its descriptor."""
        digest = hashlib.sha256(data).hexdigest()
        self.tree.add(f"blobs/sha256/{digest}", data)
        return {"mediaType": MEDIA + media, "digest": f"sha256:{digest}", "size": len(data), **more}

    def json(self, value, media, **more):
        return self.blob(_json(value), media, **more)


def _json(value):
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()


def _manifest(layout, architecture, trees, commit_time):
    labels = {"org.opencontainers.image.title": project.NAME,
              "org.opencontainers.image.description": project.DESCRIPTION,
              "org.opencontainers.image.version": project.version(),
              "org.opencontainers.image.revision": project.commit(),
              "org.opencontainers.image.url": project.URL,
              "org.opencontainers.image.licenses": project.LICENCE}
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(commit_time))
    tars = [tree.tar(commit_time) for tree in trees]
    config = {
        "architecture": architecture.oci, "os": "linux", "created": created,
        "config": {"Env": [f"PATH=/{PREFIX}/bin:/usr/bin"], "Cmd": ["/bin/sh"],
                   "Labels": labels},
        "rootfs": {"type": "layers",
                   "diff_ids": ["sha256:" + hashlib.sha256(tar).hexdigest() for tar in tars]},
        "history": [{"created": created, "created_by": made_by}
                    for made_by in ("glibc and busybox of Debian", "jprof")]}
    manifest = {
        "schemaVersion": 2, "mediaType": MEDIA + "manifest.v1+json",
        "config": layout.json(config, "config.v1+json"),
        "layers": [layout.blob(archives.compressed(tar), "layer.v1.tar+gzip") for tar in tars],
        "annotations": labels}
    return layout.json(manifest, "manifest.v1+json",
                       platform={"architecture": architecture.oci, "os": "linux"})


def make(builds, debian, commit_time):
    """Returns the bytes of the layout as a .tar, which skopeo, podman and docker read. `debian` is
    the folder of fetch()."""
    layout = Layout()
    manifests = [
        _manifest(layout, build.architecture,
                  [base_layer(debian_packages(debian, build.architecture)),
                   jprof_layer(build.installed)], commit_time)
        for build in builds]
    index = {"schemaVersion": 2, "mediaType": MEDIA + "index.v1+json", "manifests": manifests}
    reference = {"org.opencontainers.image.ref.name": project.version()}
    layout.tree.add("index.json", _json({
        "schemaVersion": 2, "mediaType": MEDIA + "index.v1+json",
        "manifests": [layout.json(index, "index.v1+json", annotations=reference)]}))
    return layout.tree.tar(commit_time)
