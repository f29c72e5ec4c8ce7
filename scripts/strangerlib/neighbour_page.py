"""Keeps results of combinations of neighbours, and makes their part of docs/production.md."""

import itertools
import os

from strangerlib import neighbours, page, table

KEPT = os.path.join(table.FOLDER, "neighbour_results.tsv")
BEGIN = "<!-- begin: printed by scripts/strangers --neighbours -->"
JDKS = (17, 25)
HEADS = ("program", "JDK", "beside", "CPU: samples / clock", "the profiler's threads / clock",
         "allocation: samples / JVM", "the profiler's probes / JVM", "MB", "samples", "broken",
         "nameless", "starts", "")


def _order():
    return [(neighbours.program_of(each).name, str(jdk), neighbours.name_of(each))
            for jdk in JDKS for each in neighbours.combinations(jdk)]


def keep(row):
    """Adds a row to the kept rows, and removes rows of combinations that are no longer run."""
    order = {key: place for place, key in enumerate(_order())}
    page.keep(row, KEPT, lambda each: order.get(page.key_of(each)))


def markdown(rows):
    return page.markdown(rows, HEADS)


def factors_text():
    lines = ["| factor | values |", "|---|---|"]
    by_factor = itertools.groupby(neighbours.known().values(), key=lambda each: each.factor)
    for factor, values in by_factor:
        lines.append(f"| {factor} | {', '.join(map(_value_text, values))} |")
    return "\n".join(lines) + "\n"


def _value_text(value):
    remarks = [f"JDK {', '.join(map(str, value.jdks))}"] if value.jdks else []
    remarks += [f"not with {', '.join(value.excluded)}"] if value.excluded else []
    return value.name + (f" ({'; '.join(remarks)})" if remarks else "")


def list_text():
    """Returns a line for each combination."""
    return "".join(f"{program} on {jdk} beside {beside}\n" for program, jdk, beside in _order())


def updated(text):
    """Returns the text of the page with the current tables between its markers."""
    rows = page.read(KEPT)
    wanted = len(_order())
    holding = sum(row["faults"] == table.NONE for row in rows)
    body = (f"{factors_text()}\n{len(rows)} of {wanted} combinations were run, {holding} hold.\n\n"
            f"{markdown(rows)}\n{page.measured(rows)}")
    return page.replaced(text, BEGIN, body)
