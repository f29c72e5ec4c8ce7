"""Kept results, the Markdown table of them, and docs/production.md."""

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
# Columns of the Markdown table; the last has the verdict.
HEADS = ("program", "JDK", "beside", "CPU: samples / clock", "the profiler's threads / clock",
         "allocation: samples / JVM", "the profiler's probes / JVM", "MB", "samples", "broken", "nameless", "p99 without, ms",
         "p99 recorded, ms", "starts", "threads", "descriptors", "metaspace, MB", "")


def row_of(outcome, settings):
    """{column: text} of an Outcome of strangerlib.trials."""
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


def _key(row):
    return row["program"], row["jdk"], row["beside"]


def read():
    if not os.path.exists(KEPT):
        return []
    with open(KEPT, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def keep(row):
    """Puts a row among the kept ones, in place of an older one, in the order of the programs."""
    order = list(table.programs())
    rows = {_key(each): each for each in read()}
    rows[_key(row)] = row
    known = [each for each in rows.values() if each["program"] in order]
    known.sort(key=lambda each: (order.index(each["program"]), int(each["jdk"]), each["beside"]))
    with open(KEPT, "w", encoding="utf-8", newline="") as file:
        file.write("\t".join(COLUMNS) + "\n")
        for each in known:
            file.write("\t".join(each.get(column) or table.NONE for column in COLUMNS) + "\n")


def _range(text, digits, unit=""):
    """Least and most of the numbers of a column."""
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


def _place(row):
    beside = "" if row["beside"] == table.NONE else f" beside {row['beside']}"
    return f"{row['program']} on {row['jdk']}{beside}"


def markdown(rows):
    lines = ["| " + " | ".join(HEADS) + " |", "|" + "---|" * len(HEADS)]
    for row in rows:
        lines.append("| " + " | ".join([
            row["program"], row["jdk"], row["beside"].replace(table.NONE, ""),
            _range(row["cpu"], 3), _range(row.get("own") or table.NONE, 3),
            _range(row["allocated"], 3), _range(row.get("probes") or table.NONE, 3),
            row["megabytes"] if row["allocated"] != table.NONE else "not counted",
            row["samples"], row["broken"], row["nameless"],
            f"{_middle(row['plain_p99'])} ({_range(row['plain_p99'], 1)})",
            f"{_middle(row['p99'])} ({_range(row['p99'], 1)})", row["starts"],
            _change(row["threads"]), _change(row["descriptors"]),
            _change(row["metaspace"], 1e6, 1),
            "holds" if row["faults"] == table.NONE else "**fault**"]) + " |")
    lines.append("")
    for row in rows:
        place = _place(row)
        if row["faults"] != table.NONE:
            lines.append(f"- fault, {place}: {row['faults']}.")
        if (row.get("notes") or table.NONE) != table.NONE:
            lines.append(f"- note, {place}: {row['notes']}.")
    for row in rows:
        if row["lost"] != table.NONE:
            lines.append(f"- lost or incomplete, {_place(row)}: {row['lost']}.")
    return "\n".join(lines) + "\n"


def programs_text():
    lines = ["| program | artifacts | JDKs | operation | remark |", "|---|---|---|---|---|"]
    for program in table.programs().values():
        names = ", ".join("`" + ":".join(each.split(":")[1:3]) + "`" for each in program.artifacts)
        lines.append(f"| {program.name} | {names} | {', '.join(map(str, program.jdks))} | "
                     f"[{program.driver}](../test/strangers/{program.driver}.java) | "
                     f"{program.remark} |")
    return "\n".join(lines) + "\n"


def updated(text):
    """The text of the page with the tables of today between its markers."""
    front, rest = text.split(BEGIN, 1)
    _, behind = rest.split(END, 1)
    rows = read()
    made = sorted({f"{row['commit']} ({row['date'][:10]})" for row in rows})
    load = sorted({f"{row['seconds']} s of load, {row['rounds']} rounds" for row in rows})
    body = (f"\n{programs_text()}\n{markdown(rows)}\nMeasured at {', '.join(made)}: "
            f"{'; '.join(load)}.\n")
    return front + BEGIN + body + END + behind


def update():
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(updated(text))
