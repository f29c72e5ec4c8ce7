"""Code that the tests of clients share."""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "equality"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))

from conversion import MAKER, Converted  # noqa: E402  (the paths come first)
from needs import need, skip  # noqa: E402, F401  (for the tests, too)

WORK = os.environ["JPROF_WORK"]
HERE = os.path.dirname(os.path.abspath(__file__))


def fetch(command, name, **options):
    """Runs a command that needs the network, and skips the test if the command fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **options)
    if done.returncode != 0:
        lines = done.stdout.strip().splitlines() or ["no output"]
        skip(f"cannot get {name}: {lines[-1]}")


def recordings():
    """Returns a small recording with hostile names, and a large one."""
    folder = os.path.join(WORK, "recordings")
    os.makedirs(folder, exist_ok=True)
    subprocess.run([MAKER, "recordings", folder], check=True)
    return [Converted(f"{folder}/{name}.jfr", folder) for name in ("small", "large")]
