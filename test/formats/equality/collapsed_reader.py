"""Reads collapsed stacks, with the thread as the outermost frame."""

import re

from totals import Totals

SUFFIX = re.compile(r"_\[[01jik]\]$")
THREAD = re.compile(r"^\[(.*) tid=(-?\d+)\]$", re.DOTALL)


def read(path):
    totals = Totals()
    # Names can hold any character but a line feed, so splitlines() would split too often.
    with open(path, encoding="utf-8", newline="\n") as file:
        text = file.read()
    for line in text.split("\n")[:-1]:
        stack, count = line.rsplit(" ", 1)
        frames = stack.split(";")
        name, tid = THREAD.match(frames[0]).groups()
        totals.add(f"{name} {tid}", [SUFFIX.sub("", frame) for frame in reversed(frames[1:])],
                   int(count))
    return totals
