"""Runs scripts/bench report briefly: all its measurements work and become tables and figures."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

from benchlib import paths
from benchlib.commands import report


class ReportTest(unittest.TestCase):
    def test_a_hasty_report_has_every_table_and_an_entry_in_the_history(self):
        with tempfile.TemporaryDirectory() as folder:
            document, history = os.path.join(folder, "p.md"), os.path.join(folder, "h.jsonl")
            with open(document, "w", encoding="utf-8") as file:
                file.write(f"above\n{report.BEGIN}\n{report.END}\nbelow\n")
            subprocess.run(
                [sys.executable, os.path.join(paths.ROOT, "scripts/bench"), "--build",
                 os.environ["JPROF_BUILD"], "report", "--minutes", "0", "--rounds", "1", "--agents",
                 "none,ours", "--document", document, "--history", history, "--out",
                 os.path.join(folder, "out.json")], check=True)
            with open(document, encoding="utf-8") as file:
                text = file.read()
            with open(history, encoding="utf-8") as file:
                (entry,) = map(json.loads, file)
        for title in ("Start to end of hello", "Attach", "Workloads", "in turns", "Our own time",
                      "Deviation of shares", "Throughput, baseline", "Throughput, churn",
                      "Throughput, exhaustion"):
            self.assertIn(title, text)
        self.assertTrue(text.startswith("above\n") and text.endswith("\nbelow\n"))
        for prefix in ("startup/", "attach/", "compare/", "turns/", "throughput/", "truth/"):
            self.assertTrue(any(name.startswith(prefix) for name in entry["figures"]), prefix)


if __name__ == "__main__":
    unittest.main()
