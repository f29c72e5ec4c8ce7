"""`go tool pprof` prints our methods with our numbers."""

import os
import re
import subprocess
import unittest

from client import WORK, need, recordings
from totals import plain

ROW = re.compile(r"^\s*(\d+)\s+\S+%\s+\S+%\s+(\d+)\s+\S+%  (.*)$")


def summed(counts):
    sums = {}
    for (_, method), weight in counts.items():
        sums[method] = sums.get(method, 0) + weight
    return sums


class PprofClientTest(unittest.TestCase):
    def test_top_lists_every_method_with_our_samples(self):
        for converted in recordings():
            expected = converted.collapsed("cpu")
            own, total = summed(expected.self_of), summed(expected.total_of)
            converted.pprof("cpu")
            top = subprocess.run(
                ["go", "tool", "pprof", "-top", "-sample_index=samples", "-nodecount=0",
                 "-nodefraction=0", "-edgefraction=0", converted.path(".cpu.pprof")],
                check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
            # A name with a line feed takes two lines, but this test asks for no such name.
            rows = [ROW.match(line) for line in top.split("\n")]
            printed = {}
            for row in filter(None, rows):
                name = re.sub(r" \((inline|partial-inline)\)$", "", row.group(3))
                printed[plain(name)] = int(row.group(1)), int(row.group(2))
            whole = {method: (own.get(method, 0), weight) for method, weight in total.items()
                     if method.isascii() and "\\c" not in method}
            self.assertGreater(len(whole), 2)
            self.assertEqual({method: printed.get(method) for method in whole}, whole)

    def test_the_default_is_time(self):
        converted = recordings()[0]
        converted.pprof("cpu")
        top = subprocess.run(["go", "tool", "pprof", "-top", converted.path(".cpu.pprof")],
                             check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             text=True).stdout
        self.assertIn("Type: cpu", top)
        self.assertIn("Total samples = 110ms", top)


if __name__ == "__main__":
    need("go")
    os.makedirs(WORK, exist_ok=True)
    unittest.main()
