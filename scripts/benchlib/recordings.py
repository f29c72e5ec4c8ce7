"""What is in a recording, whichever profiler made it: build/bin/recording_figures.

Our own reader: the JDK's refuses what some profilers write.
"""

import os

from benchlib import processes


def read(build, recording, clock, **question):
    """{key: number} of the key=value lines of test/bench/recording_figures.cc.

    `clock` is cpu or wall; `question` its other arguments. Empty if there is no recording or
    nothing of it can be read.
    """
    if not os.path.exists(recording):
        return {}
    words = [f"{key}={value}" for key, value in question.items()]
    try:
        return processes.run([build.program("recording_figures"), recording, clock, *words]).values
    except processes.Failed:
        return {}


def parts(values):
    """{method: samples} of what read() found by class."""
    prefix = "part."
    return {key[len(prefix):]: count for key, count in values.items() if key.startswith(prefix)}
