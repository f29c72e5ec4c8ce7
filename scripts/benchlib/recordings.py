"""What is in a recording, whichever profiler made it: build/bin/recording_figures."""

import os

from benchlib import processes


def read(build, recording, clock, java_class="", thread=""):
    """{key: number} of the key=value lines of test/bench/recording_figures.cc.

    `clock` is cpu or wall. Empty if there is no recording or nothing of it can be read.
    """
    if not os.path.exists(recording):
        return {}
    words = [word for word in (java_class, thread) if word]
    try:
        return processes.run([build.program("recording_figures"), recording, clock, *words]).values
    except processes.Failed:
        return {}


def parts(values):
    """{method: samples} of what read() found by class."""
    prefix = "part."
    return {key[len(prefix):]: count for key, count in values.items() if key.startswith(prefix)}
