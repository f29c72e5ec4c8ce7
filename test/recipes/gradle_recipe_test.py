"""Tests the recipe for Gradle on a build with two JUnit 4 classes (Debian's has no JUnit 5)."""

import os
import unittest

from recipe import TIMEOUT_S, RecipeTest, block, need, project, shell

GRADLE = "Gradle, one test"


class GradleRecipeTest(RecipeTest):
    def test_one_test_is_recorded_with_its_spans(self):
        folder = project("gradle")
        with open(os.path.join(folder, "build.gradle"), "a", encoding="utf-8") as script:
            script.write(block(GRADLE, "groovy"))
        # Leaves no daemon running and no files outside the build.
        os.environ["GRADLE_USER_HOME"] = os.path.join(folder, "home")
        os.environ["GRADLE_OPTS"] = "-Dorg.gradle.daemon=false"
        shell(block(GRADLE, "sh"), folder)
        (recording,) = self.recordings("test-")
        (span,) = self.view(recording, "spans")
        self.assertEqual(span["labels"], "test=busy()")
        self.assertGreaterEqual(span["duration"], 600e6)
        self.assertGreater(span["cpu"], 50)


if __name__ == "__main__":
    need("gradle")
    unittest.main()
