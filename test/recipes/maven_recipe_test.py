"""Tests the recipes for Maven and JUnit 5 on a build with two test classes."""

import os
import unittest

from recipe import TMP, RecipeTest, block, fetch, need, project, put_in, shell, write

JUNIT = "JUnit 5, a span for each test"
BUSY_NS, WAITS_NS = 600e6, 400e6  # the least times of OrderTest's methods


class MavenRecipeTest(RecipeTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = project("maven")
        write(os.path.join(cls.folder, "src/test/java/SpanPerTest.java"), block(JUNIT, "java"))
        put_in(os.path.join(cls.folder, "pom.xml"), block(JUNIT, "xml"), "<!-- recipe -->")
        fetch(block(JUNIT, "sh"), cls.folder, "Maven's plugins")
        fetch("mvn -B test", cls.folder, "JUnit")  # without jprof: its context is a no-op

    def assert_tests(self, recording, expected):
        """Asserts that each test is a span with its elapsed time and its CPU time."""
        spans = {row["labels"]: row for row in self.view(recording, "spans")}
        self.assertEqual(set(spans), {f"test={name}" for name in expected})
        self.assertGreaterEqual(spans["test=busy()"]["duration"], BUSY_NS)
        self.assertGreaterEqual(spans["test=waits()"]["duration"], WAITS_NS)
        # In intervals of 10 ms. CPU time outside the test's own loop adds to it.
        self.assertGreater(spans["test=busy()"]["cpu"], 50)
        self.assertLess(spans["test=waits()"]["cpu"], spans["test=busy()"]["cpu"] / 2)

    def test_one_test_is_recorded_with_a_span_for_each_of_its_methods(self):
        shell(block("Maven, one test", "sh"), self.folder)
        self.assertEqual(self.recordings("OrderTest"), [os.path.join(TMP, "OrderTest.jfr")])
        self.assert_tests(os.path.join(TMP, "OrderTest.jfr"), {"quick()", "busy()", "waits()"})

    def test_a_build_that_knows_nothing_of_it_is_recorded_with_its_tests(self):
        shell(block("Any build, unchanged", "sh"), self.folder)
        recordings = self.recordings("tests")
        self.assertIn(os.path.join(TMP, "tests.jfr"), recordings)
        with_spans = [each for each in recordings if self.view(each, "spans")]
        self.assertEqual(len(with_spans), 1, recordings)
        self.assert_tests(with_spans[0], {"quick()", "busy()", "waits()", "other()"})


if __name__ == "__main__":
    need("mvn")
    unittest.main()
