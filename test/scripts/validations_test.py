"""Tests the tables that scripts/validations makes of its rows."""

import importlib.util
import os
import tempfile
import unittest
from importlib.machinery import SourceFileLoader

from benchlib import paths

LOADER = SourceFileLoader("validations", os.path.join(paths.ROOT, "scripts/validations"))
validations = importlib.util.module_from_spec(importlib.util.spec_from_loader("validations", LOADER))
LOADER.exec_module(validations)

# Rows of the time before shares and modes have no columns for them.
OLD_ROW = "954058d0\t2026-11-29\t17\tG1\tsql\t1000\t2\t3\t0\t4\t1000\t50\t60\n"


def row(stacks, wrong, share="100%", mode="default", jdk=17, collector="G1"):
    return (f"12345678\t2026-11-30\t{jdk}\t{collector}\tsql\t{stacks}\t{wrong}\t0\t0\t0\t{stacks}"
            f"\t{wrong}\t0\t{share}\t{mode}\n")


class ValidationsTest(unittest.TestCase):
    def page_of(self, *rows):
        """Returns the lines of both tables, without their heads."""
        with tempfile.TemporaryDirectory() as folder:
            validations.ROWS = os.path.join(folder, "rows.tsv")
            validations.PAGE = os.path.join(folder, "page.md")
            with open(validations.ROWS, "w", encoding="ascii") as file:
                file.write("# head\n" + "".join(rows))
            with open(validations.PAGE, "w", encoding="utf-8") as file:
                file.write(f"above\n{validations.BEGIN_MODES}old\n{validations.END}between\n"
                           f"{validations.BEGIN}old\n{validations.END}below\n")
            validations.page()
            with open(validations.PAGE, encoding="utf-8") as file:
                text = file.read()
        self.assertTrue(text.startswith("above\n") and text.endswith("below\n"))
        modes, collectors = (part.split(validations.END)[0].splitlines()[2:] for part in (
            text.split(validations.BEGIN_MODES)[1], text.split(validations.BEGIN)[1]))
        return modes, collectors

    def test_rows_without_share_and_mode_are_read(self):
        modes, collectors = self.page_of(OLD_ROW)
        self.assertEqual(modes, [])
        self.assertEqual(collectors, [
            "| 17 | G1 | 1000 | 2 | 0.2000 % | 0.3000 % | 0.0000 % | 0.4000 % | 5.0000 % | 6.0000 % "
            "| 954058d0, 2026-11-29 |"])

    def test_a_share_or_a_mode_is_not_in_the_table_of_collectors(self):
        modes, collectors = self.page_of(OLD_ROW, row(10, 1, share="1%"), row(20, 1, mode="Xint"))
        self.assertEqual(len(collectors), 1)
        self.assertIn("| 1000 | 2 |", collectors[0])
        self.assertEqual([line.split(" | ")[:4] for line in modes], [
            ["| 17", "1 %", "default", "10"], ["| 17", "100 %", "default", "1000"],
            ["| 17", "100 %", "Xint", "20"]])

    def test_the_newest_row_counts_and_other_collectors_do_not(self):
        modes, _ = self.page_of(row(10, 1, share="1%"), row(30, 1, share="1%"),
                                row(40, 1, share="1%", collector="Z"))
        self.assertEqual([line.split(" | ")[3] for line in modes], ["30"])

    def test_a_jdk_without_shares_and_modes_has_no_row(self):
        modes, _ = self.page_of(OLD_ROW, row(10, 1, share="1%", jdk=25))
        self.assertEqual([line.split(" | ")[0] for line in modes], ["| 25"])

    # The exact limits of Poisson: 3.689 for none, 0.0253 and 5.572 for one.
    def test_the_interval_is_that_of_poisson(self):
        self.assertEqual(validations.interval(0, 36889), "0.0000 to 0.0100 %")
        self.assertEqual(validations.interval(1, 10000), "0.0003 to 0.0557 %")
        self.assertEqual(validations.interval(0, 1), "0.0000 to 100.0000 %")
        self.assertEqual(validations.interval(0, 0), "-")


if __name__ == "__main__":
    unittest.main()
