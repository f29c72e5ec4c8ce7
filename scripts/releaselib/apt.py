"""The apt repository: a folder that any HTTP server can serve.

    dists/stable/Release ─▶ main/binary-ARCHITECTURE/Packages ─▶ pool/*.deb
"""

import email.utils
import hashlib
import os

from releaselib import archives, project

SUITE = "stable"


def _paragraph(package, path):
    """Returns the paragraph of Packages for a .deb that is at `path` in the repository."""
    with open(package, "rb") as file:
        data = file.read()
    # The description is the last field of the control file.
    fields = project.run("dpkg-deb", "--field", package).rstrip("\n")
    return (f"{fields}\nFilename: {path}\nSize: {len(data)}\n"
            f"SHA256: {hashlib.sha256(data).hexdigest()}\n")


def _release(files, commit_time):
    architectures = " ".join(architecture.debian for architecture in project.ARCHITECTURES)
    lines = [f"Origin: {project.NAME}", f"Label: {project.NAME}", f"Suite: {SUITE}",
             f"Codename: {SUITE}", f"Version: {project.version()}",
             f"Date: {email.utils.formatdate(commit_time, usegmt=True).replace('GMT', 'UTC')}",
             f"Architectures: {architectures}", "Components: main",
             f"Description: {project.DESCRIPTION}", "SHA256:"]
    lines += [f" {hashlib.sha256(data).hexdigest()} {len(data):>9} {name}"
              for name, data in sorted(files.items())]
    return "\n".join(lines) + "\n"


def tree(packages, commit_time):
    """Returns the files of a repository of all .deb files of the folder `packages`."""
    result, lists = archives.Tree(), {}
    names = sorted(name for name in os.listdir(packages) if name.endswith(".deb"))
    for architecture in project.ARCHITECTURES:
        paragraphs = []
        for name in names:
            if name.endswith(f"_{architecture.debian}.deb"):
                path = f"pool/main/{project.NAME[0]}/{project.NAME}/{name}"
                result.copy(os.path.join(packages, name), path)
                paragraphs.append(_paragraph(os.path.join(packages, name), path))
        text = "\n".join(paragraphs).encode()
        folder = f"main/binary-{architecture.debian}"
        lists[f"{folder}/Packages"] = text
        lists[f"{folder}/Packages.gz"] = archives.compressed(text)
    for name, data in lists.items():
        result.add(f"dists/{SUITE}/{name}", data)
    result.add(f"dists/{SUITE}/Release", _release(lists, commit_time))
    return result
