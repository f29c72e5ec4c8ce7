"""Keeps results, and makes their Markdown table and docs/production.md."""

import csv
import os
import statistics

from benchlib import machine, paths
from strangerlib import table

KEPT = os.path.join(table.FOLDER, "results.tsv")
PAGE = os.path.join(paths.ROOT, "docs", "production.md")
BEGIN, END = "<!-- begin: printed by scripts/strangers -->", "<!-- end -->"
COLUMNS = ("program", "jdk", "beside", "faults", "notes", "cpu", "own", "allocated", "probes", "megabytes", "samples",
           "broken", "nameless", "lost", "plain_p99", "p99", "starts", "threads", "descriptors",
           "metaspace", "seconds", "rounds", "commit", "date")
def row_of(outcome, settings):
    """Returns {column: text} for a trials.Outcome."""
    before, after = outcome.counts or ((), ())
    kinds = dict(zip(("threads", "descriptors", "metaspace"), zip(before, after)))
    row = {
        "program": outcome.program, "jdk": outcome.jdk, "beside": outcome.beside,
        "faults": "; ".join(outcome.faults) or table.NONE,
        "notes": "; ".join(dict.fromkeys(outcome.notes)) or table.NONE,
        "megabytes": f"{outcome.megabytes:.0f}", "samples": int(outcome.samples),
        "broken": outcome.broken, "nameless": outcome.nameless,
        "lost": "; ".join(sorted(outcome.lost)) or table.NONE, "starts": outcome.starts,
        "seconds": f"{settings.seconds:g}", "rounds": settings.rounds,
        "commit": machine.commit(), "date": machine.now(),
    }
    for name, digits in (("cpu", 4), ("own", 4), ("allocated", 4), ("probes", 4), ("plain_p99", 3), ("p99", 3)):
        row[name] = _numbers(getattr(outcome, name), digits)
    for name in ("threads", "descriptors", "metaspace"):
        row[name] = " ".join(map(str, kinds.get(name, ()))) or table.NONE
    return {column: " ".join(str(row[column]).split()) for column in COLUMNS}


def _numbers(values, digits):
    return " ".join(f"{value:.{digits}f}" for value in values) or table.NONE


def key_of(row):
    return row["program"], row["jdk"], row["beside"]


def read(path=None):
    path = path or KEPT
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def _place(row):
    """Returns the sort key of a row; None if its program is no longer in the table of programs."""
    order = list(table.programs())
    if row["program"] not in order:
        return None
    return order.index(row["program"]), int(row["jdk"]), row["beside"]


def keep(row, path=None, place=_place):
    """Adds a row to the kept rows, sorted by `place`. The row replaces an older one of the same
    run."""
    path = path or KEPT
    rows = {key_of(each): each for each in read(path)}
    rows[key_of(row)] = row
    known = sorted((each for each in rows.values() if place(each) is not None), key=place)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write("\t".join(COLUMNS) + "\n")
        for each in known:
            file.write("\t".join(each.get(column) or table.NONE for column in COLUMNS) + "\n")


def _range(text, digits, unit=""):
    """Returns the least and the greatest number in a column, as a text."""
    if text == table.NONE:
        return "–"
    values = [float(word) for word in text.split()]
    least, most = f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"
    return (least if least == most else f"{least} to {most}") + unit


def _middle(text):
    return "–" if text == table.NONE else f"{statistics.median(map(float, text.split())):.3g}"


def _change(text, scale=1, digits=0):
    if text == table.NONE:
        return "–"
    before, after = (int(word) / scale for word in text.split())
    return f"{before:.{digits}f} → {after:.{digits}f}"


def _latency(text):
    return f"{_middle(text)} ({_range(text, 1)})"


# The heads of the Markdown table, and for each the function that makes the cell of a row.
CELLS = {
    "program": lambda row: row["program"],
    "JDK": lambda row: row["jdk"],
    "beside": lambda row: row["beside"].replace("+", ", ") if row["beside"] != table.NONE else "",
    "CPU: samples / clock": lambda row: _range(row["cpu"], 3),
    "the profiler's threads / clock": lambda row: _range(row.get("own") or table.NONE, 3),
    "allocation: samples / JVM": lambda row: _range(row["allocated"], 3),
    "the profiler's probes / JVM": lambda row: _range(row.get("probes") or table.NONE, 3),
    "MB": lambda row: row["megabytes"] if row["allocated"] != table.NONE else "not counted",
    "samples": lambda row: row["samples"],
    "broken": lambda row: row["broken"],
    "nameless": lambda row: row["nameless"],
    "p99 without, ms": lambda row: _latency(row["plain_p99"]),
    "p99 recorded, ms": lambda row: _latency(row["p99"]),
    "starts": lambda row: row["starts"],
    "threads": lambda row: _change(row["threads"]),
    "descriptors": lambda row: _change(row["descriptors"]),
    "metaspace, MB": lambda row: _change(row["metaspace"], 1e6, 1),
    "": lambda row: "holds" if row["faults"] == table.NONE else "**fault**",
}


def _named(row):
    beside = "" if row["beside"] == table.NONE else f" beside {CELLS['beside'](row)}"
    return f"{row['program']} on {row['jdk']}{beside}"


def markdown(rows, heads=tuple(CELLS)):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for row in rows:
        lines.append("| " + " | ".join(CELLS[head](row) for head in heads) + " |")
    lines.append("")
    for row in rows:
        place = _named(row)
        if row["faults"] != table.NONE:
            lines.append(f"- fault, {place}: {row['faults']}.")
        if (row.get("notes") or table.NONE) != table.NONE:
            lines.append(f"- note, {place}: {row['notes']}.")
    for row in rows:
        if row["lost"] != table.NONE:
            lines.append(f"- lost or incomplete, {_named(row)}: {row['lost']}.")
    return "\n".join(lines) + "\n"


def programs_text():
    lines = ["| program | artifacts | JDKs | operation | remark |", "|---|---|---|---|---|"]
    for program in table.programs().values():
        names = ", ".join("`" + ":".join(each.split(":")[1:3]) + "`" for each in program.artifacts)
        lines.append(f"| {program.name} | {names} | {', '.join(map(str, program.jdks))} | "
                     f"[{program.driver}](../test/strangers/{program.driver}.java) | "
                     f"{program.remark} |")
    return "\n".join(lines) + "\n"


def measured(rows):
    """Returns a sentence with the commits and the loads with which the rows were measured."""
    made = sorted({f"{row['commit']} ({row['date'][:10]})" for row in rows})
    load = sorted({f"{row['seconds']} s of load, {row['rounds']} rounds" for row in rows})
    return f"Measured at {', '.join(made)}: {'; '.join(load)}.\n"


def replaced(text, begin, body):
    """Returns the text of a page, in which `body` replaces what is between the marker `begin`
    and the next END."""
    front, rest = text.split(begin, 1)
    _, behind = rest.split(END, 1)
    return f"{front}{begin}\n{body}{END}{behind}"


def updated(text):
    """Returns the text of the page with the current tables between its markers."""
    rows = read()
    return replaced(text, BEGIN, f"{programs_text()}\n{markdown(rows)}\n{measured(rows)}")
