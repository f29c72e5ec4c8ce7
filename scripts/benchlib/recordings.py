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


def _with_prefix(values, prefix):
    return {key[len(prefix):]: value for key, value in values.items() if key.startswith(prefix)}


def parts(values):
    """{method: samples} of what read() found by class."""
    return _with_prefix(values, "part.")


def own_times(values):
    """{part: nanoseconds} that the profiler took for itself, where it says."""
    return _with_prefix(values, "time.")
