"""Runs scripts/test with a fake build and fake tests, and checks what runs and its summary."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Fake programs. They fail if the checkout has a file broken-PRESET (the build) or wrong-PRESET (the
# tests of the build).
CMAKE = """#!/bin/sh
echo "cmake $*" >>calls
if [ "$1" = --build ] && [ -e "broken-$3" ]; then exit 1; fi
"""
CTEST = """#!/bin/sh
echo "ctest $*" >>calls
preset=$2
while [ "$1" != --output-junit ]; do shift; done
cp results.xml "$2"
! [ -e "wrong-$preset" ]
"""
TIDY = """#!/bin/sh
echo "tidy $*" >>calls
echo "a finding"
! [ -e wrong-tidy ]
"""
SHARDS = """# tier shard stage
long    storms   tests Storm fork_
long    races    sanitized asan-ubsan stress_test --label-regex ^long$
long    races    sanitized tsan all --label-exclude ^(jvm|clients)$
long    tidy     tidy src
clients readers  tests Jmc
"""
RESULTS = """<testsuite>
<testcase name="A.Works" status="run"><system-out>fine</system-out></testcase>
<testcase name="B.Fails" status="fail"><failure message="Failed"/>
<system-out>[ RUN      ] B.Fails
/there/b_test.cc:7: Failure
Expected: one, actual: two</system-out></testcase>
<testcase name="C.NeverRan" status="notrun"/>
<testcase name="D.Skips" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
<system-out>[ RUN      ] D.Skips
/there/d_test.cc:12: Skipped
only root can be somebody else

[  SKIPPED ] D.Skips (0 ms)</system-out></testcase>
<testcase name="browser" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>
<system-out>skipped: no node (scripts/bootstrap --clients)</system-out></testcase>
</testsuite>
"""


class TiersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        os.mkdir(self.path("scripts"))
        for name in ("test", "test-results"):
            shutil.copy(os.path.join(ROOT, "scripts", name), self.path("scripts"))
        os.mkdir(self.path("test"))
        self.write("test/shards.txt", SHARDS)
        for name, text in (("cmake", CMAKE), ("ctest", CTEST),
                           ("scripts/bootstrap", '#!/bin/sh\necho "bootstrap $*" >>calls\n'),
                           ("scripts/jdk-matrix", '#!/bin/sh\necho "jdk-matrix $*" >>calls\n'),
                           ("scripts/tidy", TIDY)):
            self.write(name, text)
            os.chmod(self.path(name), 0o755)
        self.write("results.xml", RESULTS)

    def path(self, name):
        return os.path.join(self.root, name)

    def write(self, name, text=""):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def run_tier(self, *words):
        """Runs scripts/test. Returns (exit code, output, calls of fake programs)."""
        done = subprocess.run([self.path("scripts/test"), *words], text=True, check=False,
                              env={**os.environ, "PATH": self.root + ":" + os.environ["PATH"]},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        with open(self.path("calls"), encoding="utf-8") as file:
            return done.returncode, done.stdout, file.read()

    def stages(self, text):
        """Returns {stage: result} of the last lines."""
        lines = re.findall(r"^(passed|FAILED|not run|skipped) +(?:\d+|-) s  (.+)$", text, re.M)
        return {name: how for how, name in lines}

    def test_the_short_tier_leaves_out_the_labels_of_the_others(self):
        code, text, calls = self.run_tier()
        self.assertEqual(code, 0, text)
        self.assertIn("ctest --preset release ", calls)
        self.assertIn("--label-exclude ^(long|clients)$", calls)
        self.assertIn("--label-regex ^input$", calls)
        self.assertNotIn("tsan", calls.replace("asan-ubsan", ""))

    def test_the_quick_tier_is_the_short_one_without_jvms(self):
        code, text, calls = self.run_tier("--quick")
        self.assertEqual(code, 0, text)
        self.assertEqual(calls.count("ctest "), 1, calls)
        self.assertIn("--label-exclude ^(jvm|long|clients)$", calls)

    def test_the_other_stages_run_after_one_fails(self):
        self.write("broken-asan-ubsan")
        code, text, calls = self.run_tier("--long", "races")
        self.assertEqual(code, 1)
        self.assertIn("ctest --preset tsan ", calls)
        self.assertNotIn("ctest --preset asan-ubsan ", calls)
        stages = self.stages(text)
        self.assertEqual(stages["asan-ubsan: build"], "FAILED")
        self.assertEqual(stages["asan-ubsan: tests"], "not run")
        self.assertEqual(stages["tsan: tests"], "passed")

    def test_the_summary_shows_where_a_test_failed(self):
        self.write("wrong-release")
        _, text, _ = self.run_tier("--quick")
        behind_stages = text[text.index("=== the quick tier"):]
        self.assertIn("--- B.Fails\n  /there/b_test.cc:7: Failure\n  Expected: one, actual: two\n",
                      behind_stages)
        self.assertNotIn("[ RUN      ] B.Fails", behind_stages)
        self.assertNotIn("D.Skips", behind_stages)

    def test_a_shard_runs_its_own_tests_of_its_tier(self):
        _, text, calls = self.run_tier("--long", "storms")
        self.assertIn("--label-regex ^long$ --tests-regex ^(Storm|fork_)", calls)
        self.assertEqual(calls.count("ctest "), 1, calls)
        self.assertEqual(self.stages(text), {"release: build": "passed", "release: tests": "passed"})

    def test_a_tier_without_a_shard_runs_all_shards_even_if_one_fails(self):
        self.write("wrong-release")
        code, text, calls = self.run_tier("--long")
        self.assertEqual(code, 1)
        self.assertEqual(re.findall("^ctest --preset ([a-z-]*)", calls, re.M),
                         ["release", "asan-ubsan", "tsan"])
        self.assertIn(f"tidy {os.path.realpath(self.root)}/src/\n", calls)
        self.assertRegex(text, r"\| long \| storms \| unknown \| [0-9-]* \| 1 \| 2 \| 2 \| 0 \|\n")
        self.assertIn("| clients | readers | not run |", text)

    def test_a_finding_of_tidy_fails_its_shard(self):
        self.write("wrong-tidy")
        code, text, _ = self.run_tier("--long", "tidy")
        self.assertEqual(code, 1)
        self.assertIn("a finding\n", text)
        self.assertEqual(self.stages(text), {"tidy: src": "FAILED"})

    def test_each_run_of_a_shard_appends_a_result(self):
        self.run_tier("--long", "storms")
        self.run_tier("--long", "races")
        self.run_tier("--long", "storms")
        with open(self.path("test/shard_results.tsv"), encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file]
        self.assertEqual([row[2:5] for row in rows],
                         [["long", "storms", "1"], ["long", "races", "2"], ["long", "storms", "1"]])
        self.assertEqual(rows[0][6:], [
            "B.Fails | C.NeverRan",
            "1: no node (scripts/bootstrap --clients) | 1: only root can be somebody else"])

    def test_the_summary_names_failed_and_skipped_tests_with_reasons(self):
        _, text, _ = self.run_tier("--clients")
        for wanted in ("=== release: 2 failed, 2 skipped\n  failed:\n    B.Fails, C.NeverRan\n",
                       "  skipped, 1: no node (scripts/bootstrap --clients)\n    browser\n",
                       "  skipped, 1: only root can be somebody else\n    D.Skips\n"):
            self.assertIn(wanted, text)

    def test_each_tier_installs_what_it_needs(self):
        for tier, wanted in ((), "bootstrap \n"), (("--quick",), "bootstrap \n"), \
                            (("--clients", "readers"), "bootstrap --clients\n"), \
                            (("--long", "tidy"), "bootstrap --dev\n"):
            self.write("calls")
            _, _, calls = self.run_tier(*tier)
            self.assertTrue(calls.startswith(wanted), calls)

    def test_an_unknown_tier_is_refused(self):
        self.write("calls")
        for words, wanted in (["--short"], "usage: scripts/test"), \
                             (["--quick", "storms"], "usage: scripts/test"), \
                             (["--long", "storms", "races"], "usage: scripts/test"), \
                             (["--long", "readers"], "no shard 'readers' in --long: known are "
                                                     "storms races tidy"):
            code, text, calls = self.run_tier(*words)
            self.assertEqual(code, 2)
            self.assertIn(wanted, text)
            self.assertEqual(calls, "")


if __name__ == "__main__":
    unittest.main()
