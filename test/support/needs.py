"""Skips a test if the machine lacks what it needs, and prints the reason."""

import shutil
import sys


def skip(reason):
    """Ends the test with the exit code that ctest takes for skipped."""
    print(f"skipped: {reason}")
    sys.exit(77)


def need(program):
    if not shutil.which(program):
        skip(f"no {program} (scripts/bootstrap --clients)")
