"""The results of a subcommand: Markdown tables for people, and JSON for programs, which has this
form:

    {"command", "commit", "date", "machine", "load", "arguments",
     "tables":  [{"title", "columns", "rows"}],
     "figures": {name: {"median", "least", "most", "count"}},   # the figures that history compares
     "runs":    [...]}                                          # all measurements
"""

import dataclasses
import json

from benchlib import machine


# The arguments that do not affect what is measured.
NOT_MEASURED = ("run", "build", "before", "out", "document", "history", "dry")


class Result:
    def __init__(self, command, arguments):
        kept = {name: value for name, value in vars(arguments).items()
                if name not in NOT_MEASURED and value is not None}
        self.content = {
            "command": command, "commit": machine.commit(), "date": machine.now(),
            "machine": machine.describe(), "load": machine.load(), "arguments": kept,
            "tables": [], "figures": {}, "runs": [],
        }

    def add_figure(self, name, spread):
        """Adds the figures.Spread of a figure. Adds nothing if it is None, because it could not
        be measured."""
        if spread is not None:
            self.content["figures"][name] = dataclasses.asdict(spread)

    def add_run(self, **values):
        self.content["runs"].append(values)

    def add_table(self, title, columns, rows):
        table = {"title": title, "columns": columns, "rows": rows}
        self.content["tables"].append(table)
        return table

    def finish(self, path):
        """Writes the JSON to `path`, unless `path` is None."""
        if path:
            with open(path, "w", encoding="utf-8") as file:
                json.dump(self.content, file, indent=1)
            print(f"written to {path}")


def add_out_argument(parser, default=None):
    parser.add_argument("--out", metavar="FILE", default=default,
                        help="write all results as JSON to this file")


def markdown(table):
    lines = ["| " + " | ".join(table["columns"]) + " |", "|" + "---|" * len(table["columns"])]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in table["rows"]]
    return "\n".join(lines)


def print_table(table):
    print(f"\n{table['title']}\n\n{markdown(table)}", flush=True)


def cell(spread, digits, unit=""):
    """Returns the text of a figure's cell in a table; "-" if the figure could not be measured."""
    return "-" if spread is None else spread.text(digits) + unit
