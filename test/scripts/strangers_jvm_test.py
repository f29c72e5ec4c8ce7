"""Shows that scripts/strangers finds faults, by a driver that fails on request."""

import os
import shutil
import tempfile
import unittest
import unittest.mock

from benchlib import jdks, paths
from strangerlib import jvms, table, trials

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = paths.Build(os.environ["JPROF_BUILD"])
JDK = jdks.release(jdks.installed()[-1])


class FaultyProgramsTest(unittest.TestCase):
    def setUp(self):
        work = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, work, ignore_errors=True)
        sources = os.path.join(work, "sources")
        os.makedirs(sources)
        for name in ("Stranger.java", "Retransforms.java"):
            shutil.copy(os.path.join(table.FOLDER, name), sources)
        shutil.copy(os.path.join(HERE, "Faulty.java"), sources)
        for name, value in (("FOLDER", sources), ("WORK", work)):
            patch = unittest.mock.patch.object(table, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def trial(self, fault, jvm_options=(), traced="Faulty.work", **settings):
        options = (f"-Dfault={fault}", *jvm_options)
        program = table.Program("faulty", "Faulty", 20, (JDK,), (), options, traced, (), "")
        chosen = {"seconds": 3, "rounds": 1, "starts": 3} | settings
        return trials.trial(program, JDK, table.ALONE,
                            trials.Settings(BUILD, BUILD.library, **chosen))

    def test_a_program_without_a_fault_passes(self):
        outcome = self.trial("")
        self.assertEqual(outcome.faults, [])
        self.assertEqual(outcome.starts, 3)
        self.assertEqual(len(outcome.cpu) + len(outcome.allocated), 2)
        self.assertGreater(outcome.samples, 100)

    def test_another_result_under_load_is_a_fault(self):
        self.assertRegex("".join(self.trial("result").faults), "another result under load")

    def test_an_exception_is_a_fault(self):
        self.assertRegex("".join(self.trial("exception").faults),
                         "exit code 1: Caused by: .*as told")

    def test_a_process_that_dies_is_a_fault(self):
        self.assertRegex("".join(self.trial("crash").faults), "exit code 134")

    def test_a_crash_of_the_jvm_is_a_fault(self):
        # The heap is too small for the latencies of the load. The JVM crashes and leaves a report.
        outcome = self.trial("", ("-XX:+CrashOnOutOfMemoryError", "-Xmx6m"))
        self.assertRegex("".join(outcome.faults), "crashed in .+: see .*hs_err")

    def test_a_hang_is_a_fault(self):
        with unittest.mock.patch.object(jvms, "START_SECONDS", 5):
            outcome = self.trial("hang", starts=0, seconds=1)
        self.assertRegex("".join(outcome.faults), "hung: no end after")

    def test_threads_that_stay_are_a_fault(self):
        outcome = self.trial("threads", starts=10)
        self.assertRegex("".join(outcome.faults), r"threads \d+ before and \d+ after 10 starts, \d+ more")

    def test_metaspace_that_any_agent_leaves_is_a_note(self):
        with unittest.mock.patch.dict(trials.MOST_LEFT, {"metaspace": 200_000}):
            outcome = self.trial("", starts=20, traced="Faulty$Lambdas.work")
        self.assertEqual(outcome.faults, [])
        self.assertRegex("".join(outcome.notes), r"metaspace \d+ before .* retransforms the traced")

    def test_other_metaspace_is_a_fault(self):
        with unittest.mock.patch.dict(trials.MOST_LEFT, {"metaspace": 200_000}):
            outcome = self.trial("classes", starts=10)
        self.assertRegex("".join(outcome.faults), r"metaspace \d+ before and \d+ after 10 starts")


if __name__ == "__main__":
    unittest.main()
