"""Tests the computations of scripts/strangers, and that its tables agree, without a JVM."""

import glob
import os
import re
import tempfile
import unittest
import unittest.mock

from benchlib import paths
from strangerlib import page, recordings, table, trials

SETTINGS = trials.Settings(paths.Build("build"), "lib", 10, 1, 5)
VALUES = {"end.cpu.nanos": 10e9, "end.allocated.bytes": 1e9, "threads.unseen": 0,
          "operations": 90}
PROGRAM = table.Program("p", "Driver", 10, (25,), (), (), "Lib.work", (), "")


class TablesTest(unittest.TestCase):
    def test_every_driver_has_a_row_and_every_row_a_driver(self):
        drivers = {os.path.basename(path)[:-len(".java")]
                   for path in glob.glob(os.path.join(table.FOLDER, "*.java"))}
        self.assertEqual(drivers - {"Stranger", "Retransforms"},
                         {program.driver for program in table.programs().values()})

    def test_rows_name_known_agents_jdks_and_artifacts(self):
        agents = table.agents()
        for program in table.programs().values():
            self.assertLessEqual(set(program.beside), set(agents), program.name)
            self.assertLessEqual(set(program.jdks), {17, 21, 25}, program.name)
            for artifact in program.artifacts:
                self.assertIn(len(artifact.split(":")), (3, 4, 5), artifact)

    def test_a_program_that_does_not_start_on_a_jdk_has_a_remark(self):
        for program in table.programs().values():
            if set(program.jdks) != {17, 21, 25}:
                self.assertTrue(program.remark, program.name)

    def test_each_program_is_in_one_shard(self):
        with open(os.path.join(paths.ROOT, "test", "shards.txt"), encoding="utf-8") as file:
            named = re.findall(r"strangers --program (\S+)", file.read())
        self.assertEqual(sorted(",".join(named).split(",")), sorted(table.programs()))


class LimitsTest(unittest.TestCase):
    def test_the_number_of_bad_stacks_that_can_be_chance(self):
        self.assertEqual(recordings.most_by_chance(0.001, 0), 0)
        # A Poisson variable of mean 1 exceeds 5 with a probability of 5.9e-4, and 6 with 8.3e-5.
        self.assertEqual(recordings.most_by_chance(0.001, 1000), 6)
        self.assertEqual(recordings.most_by_chance(0.001, 100_000), 140)

    def judged(self, values=None, jdk=25, threads=10, own=0, probes=0, bad=None, calls=100,
               before=0, clock=10e9, **sums):
        """Returns the outcome, with its faults, of a recording with these figures."""
        losses = [{"event": event, "share": 0.1, "lost": 0,
                   "reason": f"{count} samples with {name} in their stack"}
                  for (event, name), count in (bad or {}).items()]
        rows = {event: amount / threads for event, amount in
                ({"cpu": 1000, "wall": 2000, "alloc": 1e9} | sums).items()}
        rows |= {event + "Share": 1 / threads for event in list(rows)}

        def view(_, name, *words):
            if name == "losses":
                return losses
            if name == "events" and words[0] == "profiler.MethodLatency":
                return [{"startTime": time, "method": method, "calls": count}
                        for time, method, count in
                        ((1, "Driver.operation", 50), (2, "Driver.operation", calls),
                         (2, "Lib.work", 7), (2, "Lib.work", 8))]
            if words[0] == "profiler.AllocationCalibration":
                return [{"group": "total", "exact": 1e9},
                        {"group": "probes of jprof", "exact": probes}]
            if words[0] == "profiler.Counter":
                return [{"name": "ns of CPU before the first sample of cpu", "value": before},
                        {"name": "ns of CPU of the process", "value": clock / 2},
                        {"name": "ns of CPU of the process", "value": clock}]
            if words[0] == "profiler.ThreadTime":
                return [{}] * threads
            if name == "events":
                return [{"part": "thread jprof-recorder", "total": own},
                        {"part": "signal handlers", "total": 5e9}]
            return [rows] * threads  # the view of threads

        outcome = trials.Outcome("p", jdk, "-")
        with unittest.mock.patch.object(recordings, "view", view):
            trials.judge(outcome, PROGRAM, VALUES | (values or {}), "f.jfr", SETTINGS)
        return outcome

    def test_a_recording_that_agrees_has_no_faults(self):
        outcome = self.judged()
        self.assertEqual(outcome.faults, [])
        self.assertAlmostEqual(outcome.cpu[0], 1)
        self.assertEqual(outcome.own[0], 0)
        self.assertAlmostEqual(outcome.allocated[0], 1)

    def test_cpu_beyond_the_limit_is_a_fault(self):
        # The CPU time of each of 10 threads is known to within one interval. 4 standard errors are
        # 0.0052 of 10 s.
        self.assertEqual(self.judged(cpu=976).faults, [])
        for samples in (974, 1026):
            self.assertRegex(self.judged(cpu=samples).faults[0], "^CPU ")

    def test_cpu_before_the_first_sample_does_not_count(self):
        self.assertEqual(self.judged({"end.cpu.nanos": 13e9}, before=3e9, clock=13e9).faults, [])
        self.assertRegex(self.judged({"end.cpu.nanos": 13e9}, clock=13e9).faults[0], "^CPU ")

    def test_a_clock_that_the_program_does_not_have_is_a_fault(self):
        self.assertEqual(self.judged(cpu=1060, clock=10.6e9).faults, [])
        self.assertRegex(self.judged(cpu=1200, clock=12e9).faults[0], "^the CPU clock ")

    def test_allocation_beyond_the_limit_is_a_fault(self):
        for bytes_ in (0.98e9, 1.02e9):
            self.assertRegex(self.judged(alloc=bytes_).faults[0], "^allocation ")

    def test_the_profilers_own_use_counts_and_is_noted(self):
        outcome = self.judged(cpu=950, own=5e8, alloc=0.97e9, probes=0.03e9)
        self.assertEqual(outcome.faults, [])
        self.assertEqual([note.split(" by ")[0] for note in outcome.notes],
                         ["CPU 0.9500", "allocation 0.9700"])
        outcome = self.judged(cpu=990, own=5e8, alloc=0.995e9, probes=0.03e9)
        self.assertEqual([fault.split(" by ")[0] for fault in outcome.faults],
                         ["CPU 0.9900", "allocation 0.9950"])

    def test_few_bytes_and_unseen_threads_are_not_judged(self):
        few = self.judged({"end.allocated.bytes": 99e6}, alloc=1)
        self.assertEqual((few.faults, few.allocated), ([], []))
        unseen = self.judged({"threads.unseen": 1}, jdk=17, alloc=1)
        self.assertEqual((unseen.faults, unseen.allocated), ([], []))

    def test_bad_stacks_beyond_the_limit_are_a_fault(self):
        # The limit for 1000 samples of cpu is 6.
        for name, kind in (("[break: stub]", "broken"), ("[no method id]", "nameless")):
            self.assertEqual(self.judged(bad={("cpu", name): 6}).faults, [])
            self.assertEqual(self.judged(bad={("cpu", name): 7}).faults,
                             [f"7 of 1000 stacks of cpu {kind}: {name}"])
        self.assertEqual(self.judged(bad={("cpu", "[frames in the heap]"): 900}).faults, [])

    def test_another_number_of_calls_is_a_fault(self):
        self.assertEqual(self.judged(calls=101).faults,
                         ["101 calls of operation are counted, 100 were made"])

    def test_an_event_without_samples_is_a_fault(self):
        self.assertIn("no samples of wall", self.judged(wall=0).faults)


class PageTest(unittest.TestCase):
    def outcome(self):
        outcome = trials.Outcome("h2", 17, "-", cpu=[0.99, 1.01], plain_p99=[1.0], p99=[2.0],
                                 counts=((1, 2, 3_000_000), (4, 5, 6_000_000)))
        outcome.complain("a fault")
        return outcome

    def test_a_kept_row_replaces_the_older_one(self):
        with tempfile.TemporaryDirectory() as folder:
            with unittest.mock.patch.object(page, "KEPT", os.path.join(folder, "kept.tsv")):
                row = page.row_of(self.outcome(), SETTINGS)
                page.keep(row)
                page.keep(row | {"jdk": "25"})
                page.keep(row | {"faults": "-"})
                kept = page.read()
        self.assertEqual([(each["jdk"], each["faults"]) for each in kept],
                         [("17", "-"), ("25", "a fault")])
        self.assertEqual(kept[0]["threads"], "1 4")

    def test_a_fault_is_in_the_table_and_below_it(self):
        text = page.markdown([page.row_of(self.outcome(), SETTINGS)])
        self.assertIn("| 0.990 to 1.010 |", text)
        self.assertIn("| 1 → 4 | 2 → 5 | 3.0 → 6.0 | **fault** |", text)
        self.assertIn("- fault, h2 on 17: a fault.", text)

    def test_the_page_has_the_kept_results(self):
        with open(page.PAGE, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(page.updated(text), text,
                         "scripts/strangers --update-doc brings docs/production.md up to date")


if __name__ == "__main__":
    unittest.main()
