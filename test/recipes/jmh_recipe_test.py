"""Tests the recipe for JMH on a benchmark with two forks."""

import unittest

from recipe import RecipeTest, block, fetch, need, project, shell


class JmhRecipeTest(RecipeTest):
    def test_each_fork_is_recorded_and_nothing_else(self):
        folder = project("jmh")
        fetch("mvn -B package", folder, "JMH")
        shell(block("JMH", "sh"), folder)
        recordings = self.recordings("jmh-")
        self.assertEqual(len(recordings), 2, recordings)
        for recording in recordings:
            self.assert_hot(recording, "bench.Sums.sum")
            self.assert_hot(recording, "org.openjdk.jmh.runner.ForkedMain.main")


if __name__ == "__main__":
    need("mvn")
    unittest.main()
