"""Runs scripts/bench compare, turns and sampling briefly. The work without and with the agent is the same."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

from benchlib import paths


class BenchTest(unittest.TestCase):
    def bench(self, *words):
        """Runs scripts/bench. Returns (its output, the result that it writes)."""
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "result.json")
            done = subprocess.run(
                [sys.executable, os.path.join(paths.ROOT, "scripts/bench"), "--build",
                 os.environ["JPROF_BUILD"], *words, "--out", out],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout)
            with open(out, encoding="utf-8") as file:
                return done.stdout, json.load(file)

    def test_without_and_with_the_agent_the_same_work_is_done(self):
        text, result = self.bench("compare", "allocation", "--agents", "none,ours", "--rounds", "2",
                                  "--scale", "0.02", "--interval", "1ms")
        self.assertIn("| ours | x", text)
        runs = result["runs"]
        self.assertEqual([run["agent"] for run in runs], ["none", "none", "ours", "ours"])
        self.assertEqual(len({run["checksum"] for run in runs}), 1)
        for run in runs:
            self.assertGreater(run["cpu.perOperation"], 0)
            self.assertEqual("samples" in run, run["agent"] == "ours")
        for run in runs[2:]:
            self.assertGreater(run["samples"], 100)
            self.assertTrue(0.5 < run["yield"] < 1.1, run)

    def test_windows_in_turns_give_a_ratio(self):
        text, result = self.bench("turns", "allocation", "--rounds", "1")
        self.assertIn("| allocation | x", text)
        (spread,) = result["figures"].values()
        self.assertTrue(0.2 < spread["median"] < 5, spread)

    def test_samples_agree_with_exact_times(self):
        text, result = self.bench("sampling", "deep-stacks", "DeepStacks.*", "--agents", "ours",
                                  "--scale", "0.05")
        self.assertIn("| samples |", text)
        compared = result["runs"][0]["compared"]
        self.assertGreater(compared[""]["samples"], 100)
        for method, row in compared.items():
            if method:
                self.assertLess(abs(row["deviation"]), 6, (method, row))


if __name__ == "__main__":
    unittest.main()
