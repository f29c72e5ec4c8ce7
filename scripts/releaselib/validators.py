"""Checks packages by the programs of other projects."""

import glob
import io
import os
import subprocess
import sys
import tarfile

from releaselib import project, trials

SPDX_TOOLS = "spdx-tools==0.8.3"


def _environment():
    """Returns a Python environment with the tools of SPDX, which is kept in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = os.path.join(cache, "jprof", SPDX_TOOLS.replace("==", "-"))
    tool = os.path.join(folder, "bin", "pyspdxtools")
    if not os.path.exists(tool):
        project.run(sys.executable, "-m", "pip", "install", "--quiet", "--target",
                    os.path.join(folder, "lib"), SPDX_TOOLS)
        os.makedirs(os.path.dirname(tool), exist_ok=True)
        with open(tool, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nPYTHONPATH={folder}/lib exec {sys.executable}"
                       " -m spdx_tools.spdx.clitools.pyspdxtools \"$@\"\n")
        os.chmod(tool, 0o755)
    return tool


def check_sbom(path):
    """Raises an error if the document violates SPDX 2.3."""
    checked = subprocess.run([_environment(), "--infile", path], check=False, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if checked.returncode != 0:
        raise SystemExit(f"release: {path} is not valid:\n{checked.stdout}")


def _check_machine(path, architecture):
    """Raises an error unless a binary is of this architecture."""
    header = project.run("readelf", "--file-header", path)
    if {"amd64": "X86-64", "arm64": "AArch64"}[architecture.oci] not in header:
        raise SystemExit(f"release: {path} is not of {architecture.name}:\n{header}")


def check_image(packages, work):
    """Raises an error unless the image of each architecture has programs of this architecture."""
    (layout,) = glob.glob(os.path.join(packages, "*-oci.tar"))
    for architecture in project.ARCHITECTURES:
        root = trials.unpack_image(layout, architecture.oci, work)
        for path in ("opt/jprof/bin/jprof", "opt/jprof/lib/libprofiler.so", "usr/bin/busybox"):
            _check_machine(os.path.join(root, path), architecture)


def _files(tar, leading):
    """Returns {path below `leading`: bytes} of the files of a .tar."""
    with tarfile.open(fileobj=io.BytesIO(tar)) as archive:
        return {entry.name.removeprefix("./").removeprefix(leading):
                archive.extractfile(entry).read() for entry in archive if entry.isreg()}


def check_content(packages, work):
    """Raises an error unless .tar.gz, .deb and .rpm of an architecture have the same files, with
    binaries of this architecture."""
    base = f"{project.NAME}-{project.version()}"
    for architecture in project.ARCHITECTURES:
        name = f"{base}-linux-{architecture.name}"
        with open(os.path.join(packages, f"{name}.tar.gz"), "rb") as file:
            unpacked = subprocess.run(["gzip", "-dc"], input=file.read(), check=True,
                                      stdout=subprocess.PIPE).stdout
        archive = _files(unpacked, f"{name}/")
        deb = os.path.join(
            packages, f"{project.NAME}_{project.version()}_{architecture.debian}.deb")
        in_deb = _files(subprocess.run(["dpkg-deb", "--fsys-tarfile", deb], check=True,
                                       stdout=subprocess.PIPE).stdout, "usr/")
        (rpm,) = glob.glob(os.path.join(packages, f"{base}-*.{architecture.rpm}.rpm"))
        in_rpm = {path.removeprefix("/usr/") for path in project.run(
            "rpm", "-qp", "--queryformat", "[%{FILEMODES:perms} %{FILENAMES}\n]", rpm).splitlines()
            if path.startswith("-") for path in [path.split(" ", 1)[1]]}
        if archive != in_deb or set(archive) != in_rpm:
            raise SystemExit(f"release: the packages of {architecture.name} have different files:"
                             f" {sorted(set(archive) ^ set(in_deb) | set(archive) ^ in_rpm)}")
        for path in project.LARGEST:
            binary = os.path.join(work, "binary")
            with open(binary, "wb") as file:
                file.write(archive[path])
            _check_machine(binary, architecture)


def check(packages, work):
    check_sbom(os.path.join(packages, f"{project.NAME}-{project.version()}.spdx.json"))
    print("release: the SPDX document is valid", flush=True)
    check_content(packages, work)
    print("release: all packages of an architecture have the same files", flush=True)
    check_image(packages, work)
    print("release: the image has the programs of both architectures", flush=True)
