"""Checks of a release that need no other programs: sizes of binaries, equal bytes of two builds."""

import filecmp
import os
import sys

from releaselib import project


def check_sizes(builds):
    """Prints the sizes of the binaries, and fails if one is too large."""
    for each in builds:
        for path, largest in project.LARGEST.items():
            size = os.path.getsize(os.path.join(each.installed, path))
            print(f"{path:22} {each.architecture.name:8} {size:>9} bytes, at most {largest}")
            if size > largest:
                sys.exit(f"release: {path} of {each.architecture.name} is too large")


def check_equal(packages, others):
    """Fails unless both folders have the same files with the same bytes."""
    names = sorted(os.listdir(packages))
    _, different, missing = filecmp.cmpfiles(packages, others, names, shallow=False)
    added = sorted(set(os.listdir(others)) - set(names))
    if different or missing or added:
        sys.exit(f"release: the builds differ in {', '.join(different + missing + added)}:"
                 f" compare {packages} and {others}")
    print(f"release: both builds made the same bytes of {len(names)} files")
