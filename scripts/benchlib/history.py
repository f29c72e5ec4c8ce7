"""Figures of earlier commits, in docs/performance-history.jsonl: one JSON object per line, oldest
first.

    {"date", "commit", "machine", "load", "command", "arguments",
     "figures": {name: [median, least, most]}}
"""

import json
import os

from benchlib import machine, paths

PATH = os.path.join(paths.ROOT, "docs/performance-history.jsonl")


def entry_of(content):
    """Returns the line for a result that a subcommand wrote with --out (results.py)."""
    return {
        **{key: content[key] for key in ("date", "commit", "machine", "load", "command",
                                         "arguments")},
        "figures": {name: [_rounded(spread[key]) for key in ("median", "least", "most")]
                    for name, spread in content["figures"].items()},
    }


def _rounded(value):
    return float(f"{value:.5g}")


def read(path=PATH):
    try:
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.strip()]
    except FileNotFoundError:
        return []


def append(entry, path=PATH):
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(entry, sort_keys=True) + "\n")


def before(entry, entries):
    """Returns {name: (median, least, most, commit)} of the last value of each figure on the same
    machine."""
    known = {}
    for earlier in entries:
        if machine.key(earlier["machine"]) == machine.key(entry["machine"]):
            known.update({name: (*spread, earlier["commit"])
                          for name, spread in earlier["figures"].items()})
    return known


def changes(entry, entries):
    """Returns rows [name, before, now, change, remark] for the figures that `entries` also have.

    The remark is "apart" if the ranges of the two measurements do not overlap, so that the change
    is greater than the noise of either.
    """
    known = before(entry, entries)
    rows = []
    for name, (median, least, most) in entry["figures"].items():
        if name not in known:
            continue
        old_median, old_least, old_most, commit = known[name]
        change = f"{median / old_median - 1:+.1%}" if old_median else "-"
        apart = least > old_most or most < old_least
        rows.append([name, f"{old_median:g} ({commit})", f"{median:g}", change,
                     "apart" if apart else ""])
    return rows
