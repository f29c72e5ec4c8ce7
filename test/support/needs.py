"""What a test needs of the machine; without it the test is skipped, with the reason."""

import shutil
import sys


def skip(reason):
    """Ends the test: ctest knows the exit code."""
    print(f"skipped: {reason}")
    sys.exit(77)


def need(program):
    if not shutil.which(program):
        skip(f"no {program} (scripts/bootstrap --clients)")
