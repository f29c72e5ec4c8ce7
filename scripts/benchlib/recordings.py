"""Reads recordings of any profiler with build/bin/recording_figures.

This reader is our own, because the JDK's refuses what some profilers write.
"""

import os

from benchlib import processes


def read(build, recording, clock, **question):
    """Returns {key: number} of the key=value lines that test/bench/recording_figures.cc prints.

    `clock` is cpu or wall; `question` has the further arguments. The result is empty if there is no
    recording or it cannot be read.
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
    """Returns {method: intervals} from values of read(), which was called with a class."""
    return _with_prefix(values, "part.")


def own_times(values):
    """Returns {part: nanoseconds} that the profiler itself took, from values of read(), if it
    records them."""
    return _with_prefix(values, "time.")
