"""Appends results to docs/performance-history.jsonl, and prints which figures changed.

RESULT.json is a file that another subcommand has written with --out. Each figure is compared with
its last value on the same machine (processor, number of processors, memory). Without RESULT.json,
compares the newest entry of this machine with the entries before it.
"""

import json
import sys

from benchlib import history, machine, results

COLUMNS = ["figure", "before", "now", "change", ""]


def configure(parser):
    parser.add_argument("result", nargs="*", metavar="RESULT.json")
    parser.add_argument("--file", default=history.PATH, help=f"default: {history.PATH}")
    parser.add_argument("--all", action="store_true",
                        help="also print figures whose ranges overlap")


def print_changes(entry, earlier, with_all):
    rows = history.changes(entry, earlier)
    shown = [row for row in rows if with_all or row[-1]]
    results.print_table({
        "title": f"{entry['command']} at {entry['commit']}, {entry['date']}: {len(rows)} figures "
                 f"known before, {sum(1 for row in rows if row[-1])} apart",
        "columns": COLUMNS, "rows": shown})


def add(content, path, with_all=False):
    """Appends one result and prints which figures changed."""
    entry = history.entry_of(content)
    print_changes(entry, history.read(path), with_all)
    history.append(entry, path)


def run(arguments):
    for name in arguments.result:
        with open(name, encoding="utf-8") as file:
            add(json.load(file), arguments.file, arguments.all)
    if arguments.result:
        return
    here = machine.key(machine.describe())
    entries = [entry for entry in history.read(arguments.file)
               if machine.key(entry["machine"]) == here]
    if not entries:
        sys.exit(f"{arguments.file} has no figures of this machine ({here})")
    print_changes(entries[-1], entries[:-1], arguments.all)
