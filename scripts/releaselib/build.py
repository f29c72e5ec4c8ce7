"""Builds for each architecture, and makes the packages that cpack makes."""

import os
import shutil
import subprocess

from releaselib import project


class Build:
    """The build of one architecture, in a folder of its own."""

    def __init__(self, folder, architecture):
        self.architecture = architecture
        self.folder = os.path.join(folder, architecture.name)
        self.installed = os.path.join(folder, "installed", architecture.name)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def make(self, texts):
        """Builds everything. `texts` is the folder `share` of a native build, for a cross build."""
        shutil.rmtree(self.folder, ignore_errors=True)
        maps = (f"-ffile-prefix-map={project.ROOT}=/usr/src/jprof"
                f" -ffile-prefix-map={self.folder}=/usr/src/jprof/build")
        options = ["-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DJPROF_BUILD_TESTS=OFF",
                   f"-DCMAKE_CXX_FLAGS={maps}"]
        # The linker writes the names of all files that it reads (sbom.py).
        for kind, name in [("SHARED", "libprofiler.so"), ("EXE", "jprof")]:
            options.append(f"-DCMAKE_{kind}_LINKER_FLAGS=-Wl,--dependency-file={name}.inputs")
        cross = self.architecture.cross
        if cross:
            options += ["-DCMAKE_SYSTEM_NAME=Linux",
                        f"-DCMAKE_SYSTEM_PROCESSOR={self.architecture.rpm}",
                        f"-DCMAKE_CXX_COMPILER={cross}g++", f"-DJPROF_TOOL_PREFIX={cross}",
                        f"-DJPROF_TEXTS={texts}"]
        project.run("cmake", "-G", "Ninja", "-S", project.ROOT, "-B", self.folder, *options)
        subprocess.run(["cmake", "--build", self.folder, "--parallel", str(os.cpu_count())],
                       check=True)

    def install(self):
        """Installs the files of the runtime in the folder `installed`, for packages that cpack does
        not make."""
        shutil.rmtree(self.installed, ignore_errors=True)
        project.run("cmake", "--install", self.folder, "--prefix", self.installed, "--component",
                    "runtime")

    def pack(self, packages):
        """Makes .tar.gz, .deb and .rpm in the folder `packages`."""
        with open(self.path("cpack.log"), "w", encoding="utf-8") as log:
            packed = subprocess.run(["cpack", "-G", "TGZ;DEB;RPM", "-B", self.path("packages")],
                                    check=False, cwd=self.folder, stdout=log, stderr=log)
        if packed.returncode != 0:
            with open(log.name, encoding="utf-8") as text:
                raise SystemExit(f"release: cpack failed:\n{text.read()}")
        for name in os.listdir(self.path("packages")):
            if name.startswith(project.NAME):
                shutil.move(self.path("packages", name), os.path.join(packages, name))


def make(folder, packages):
    """Builds for each architecture in `folder`, and returns the builds, the native one first."""
    builds = [Build(folder, architecture) for architecture in project.ARCHITECTURES]
    for build in builds:
        build.make(builds[0].path("share"))
        build.install()
        build.pack(packages)
    return builds
