"""The paths of files and folders in the tree."""

import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
JAVA_SOURCES = os.path.join(ROOT, "test/java")


def shown(path):
    """Returns the path for results that are kept: relative to the tree if it is in the tree."""
    return os.path.relpath(path, ROOT) if path.startswith(ROOT + os.sep) else path


class Build:
    """A build folder with the layout of `cmake --preset release`.

    `before` is another Build to compare with, usually made from an older commit, or None.
    """

    def __init__(self, folder, before=None):
        self.folder = os.path.abspath(folder)
        self.before = before

    def path(self, *names):
        return os.path.join(self.folder, *names)

    @property
    def library(self):
        return self.path("lib/libprofiler.so")

    @property
    def workloads(self):
        return self.path("test/java/workloads")

    def program(self, name):
        return self.path("bin", name)
