"""Compares recordings with what programs know to be true (build/bin/truth_table_test)."""

import subprocess
import sys


def configure(parser):
    parser.add_argument("--filter", default="*",
                        help="run only the tests that match this pattern of gtest")


def run(arguments):
    binary = arguments.build.program("truth_table_test")
    sys.exit(subprocess.run([binary, "--gtest_brief=1", f"--gtest_filter={arguments.filter}"],
                            check=False).returncode)
