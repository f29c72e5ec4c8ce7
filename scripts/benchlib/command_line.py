"""The subcommands and their common options."""

import argparse
import importlib
import os

from benchlib import paths

# The modules of benchlib.commands, in the order of the help. A subcommand's name has '-' instead of
# '_'.
COMMANDS = (
    "compare",
    "account",
    "turns",
    "pauses",
    "throughput",
    "truth",
    "sampling",
    "startup",
    "attach_time",
    "churn",
    "calls",
    "context",
    "locks",
    "start",
    "handler",
    "roots",
    "idle",
    "size",
    "convert",
    "micro",
    "truth_table",
    "history",
    "report",
)


def parser():
    top = argparse.ArgumentParser(
        prog="scripts/bench",
        description="Measures what the agent costs and how true its profiles are. Needs a release "
        "build: cmake --build --preset release")
    top.add_argument("--build", default=os.path.join(paths.ROOT, "build"), type=paths.Build)
    top.add_argument("--before", type=paths.Build, metavar="BUILD",
                     help="another build folder: its library is measured as the profiler `before`, "
                     "in the same rounds")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for name in COMMANDS:
        module = importlib.import_module(f"benchlib.commands.{name}")
        command = commands.add_parser(
            name.replace("_", "-"), help=module.__doc__.splitlines()[0],
            description=module.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
        module.configure(command)
        command.set_defaults(run=module.run)
    return top


def main(argv=None):
    arguments = parser().parse_args(argv)
    arguments.build.before = arguments.before
    arguments.run(arguments)
