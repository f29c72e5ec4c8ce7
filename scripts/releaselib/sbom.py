"""The software bill of materials (SBOM): an SPDX 2.3 document in JSON.

It names the packages of Debian whose code is in libprofiler.so and jprof, as dpkg knows them. These
are the owners of the archives and objects that the linker read, and of the headers of protozero.
"""

import hashlib
import json
import os
import re
import time

from releaselib import image, project

# The licences of the code that packages of Debian contribute, by source package. scripts/release
# fails if the linker reads a file of another package, so that its licence gets looked up.
LICENCES = {
    "abseil": "Apache-2.0",
    "busybox": "GPL-2.0-only",
    "cross-toolchain-base": "LGPL-2.1-or-later",  # glibc for a cross compiler
    "gcc": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "gcc-cross": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "glibc": "LGPL-2.1-or-later",
    "protozero": "BSD-2-Clause",
    "re2": "BSD-3-Clause",
    "zlib": "Zlib",
}
BINARIES = {"libprofiler.so": "lib/libprofiler.so", "jprof": "bin/jprof"}


class DebianPackage:
    """A binary package of Debian with its version, source and licence."""

    def __init__(self, name, version, architecture, source, downloaded=None):
        self.name, self.version, self.architecture = name, version, architecture
        self.source = source or name
        self.downloaded = downloaded  # the path of a .deb
        family = re.sub(r"-\d+(-cross)?$", r"\1", self.source)  # gcc-12-cross, cross-toolchain-base
        if family not in LICENCES:
            raise SystemExit(f"release: the licence of {name} (source {self.source}) is unknown:"
                             " add it to LICENCES of scripts/releaselib/sbom.py and to THIRD-PARTY")
        self.licence = LICENCES[family]

    @classmethod
    def owning(cls, path):
        """Returns the installed package that has the file."""
        for candidate in (path, os.path.realpath(path)):
            for name in (candidate, candidate.removeprefix("/usr")):
                found = project.run("sh", "-c", 'dpkg-query --search "$1" 2>/dev/null || true',
                                    "sh", name)
                if found:
                    return cls.installed(found.split(": ")[0])
        raise SystemExit(f"release: {path} was linked, and belongs to no package")

    @classmethod
    def installed(cls, name):
        fields = "${Package}\\t${Version}\\t${Architecture}\\t${source:Package}"
        return cls(*project.run("dpkg-query", "--show", "--showformat", fields, name).split("\t"))

    @classmethod
    def in_file(cls, path):
        fields = [project.run("dpkg-deb", "--field", path, field).strip()
                  for field in ("Package", "Version", "Architecture", "Source")]
        return cls(*fields[:3], fields[3].split(" ")[0], path)

    @property
    def id(self):
        return "SPDXRef-Debian-" + re.sub(r"[^A-Za-z0-9.]", "-", f"{self.name}-{self.architecture}")

    def spdx(self):
        purl = (f"pkg:deb/debian/{self.name.replace('+', '%2B')}@"
                f"{self.version.replace(':', '%3A').replace('+', '%2B')}?arch={self.architecture}")
        package = {
            "SPDXID": self.id, "name": self.name, "versionInfo": self.version,
            "supplier": "Organization: Debian", "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "sourceInfo": f"built from the source package {self.source}",
            "licenseConcluded": self.licence, "licenseDeclared": self.licence,
            "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": purl}]}
        if self.downloaded:
            package["checksums"] = _checksums(self.downloaded)
        return package


def _checksums(path):
    with open(path, "rb") as file:
        return [{"algorithm": "SHA256",
                 "checksumValue": hashlib.sha256(file.read()).hexdigest()}]


def linked_files(build, name):
    """Returns the paths of the archives and objects outside of the build that the linker read for a
    binary. Shared libraries are not among them: the binary does not contain their code."""
    with open(build.path(f"{name}.inputs"), encoding="utf-8") as file:
        inputs = file.read().split(":", 1)[1].replace("\\\n", " ").split()
    files = (os.path.normpath(os.path.join(build.folder, path)) for path in inputs)
    return sorted({path for path in files if path.endswith((".a", ".o"))
                   and not path.startswith(build.folder + os.sep)})


def linked_packages(build, name):
    """Returns the packages whose code is in a binary, by id."""
    packages = [DebianPackage.owning(path) for path in linked_files(build, name)]
    if name == "jprof":  # protozero has only headers
        packages.append(DebianPackage.owning("/usr/include/protozero/pbf_builder.hpp"))
    return {package.id: package for package in packages}


def _own_package(spdx_id, name, **more):
    return {"SPDXID": spdx_id, "name": name, "versionInfo": project.version(),
            "supplier": f"Organization: {project.DEVELOPERS}",
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": project.LICENCE, "licenseDeclared": project.LICENCE,
            "copyrightText": "NOASSERTION", **more}


def make(builds, debian, commit_time):
    """Returns the text of the document. `debian` has the packages that the image contains."""
    packages = {"SPDXRef-jprof": _own_package("SPDXRef-jprof", project.NAME,
                                              sourceInfo=f"commit {project.commit()}")}
    relationships = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-jprof")]
    for build in builds:
        for name, path in BINARIES.items():
            binary = f"SPDXRef-{name}-{build.architecture.name}"
            packages[binary] = _own_package(
                binary, f"{name} ({build.architecture.name})",
                checksums=_checksums(os.path.join(build.installed, path)))
            relationships.append(("SPDXRef-jprof", "CONTAINS", binary))
            for package in linked_packages(build, name).values():
                packages[package.id] = package.spdx()
                relationships.append((binary, "STATIC_LINK", package.id))
        container = f"SPDXRef-image-{build.architecture.oci}"
        packages[container] = _own_package(container, f"image ({build.architecture.oci})")
        relationships.append(("SPDXRef-jprof", "CONTAINS", container))
        for path in image.debian_packages(debian, build.architecture).values():
            package = DebianPackage.in_file(path)
            packages[package.id] = package.spdx()
            relationships.append((container, "CONTAINS", package.id))
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{project.NAME}-{project.version()}",
        "documentNamespace": f"{project.URL}/spdx/{project.version()}/{project.commit()}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(commit_time)),
            "creators": [f"Organization: {project.DEVELOPERS}", "Tool: scripts/release"]},
        "packages": [packages[key] for key in sorted(packages)],
        "relationships": [
            {"spdxElementId": element, "relationshipType": kind, "relatedSpdxElement": related}
            for element, kind, related in relationships]}
    return json.dumps(document, indent=1) + "\n"
