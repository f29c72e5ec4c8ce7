"""Tests the recipe for a container without a registry: executes its Dockerfile on this machine.

image.py says how.
"""

import os
import unittest

from image import Image, child_of
from recipe import INSTALLED, TMP, RecipeTest, block, project_of_container, shell, skip

CONTAINER = "A container"


class ContainerRecipeTest(RecipeTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.context = project_of_container()

    def image(self, change=lambda line: True):
        # The paths of the recipe are paths in the image.
        text = block(CONTAINER, "dockerfile").replace(INSTALLED, "/opt/jprof").replace(TMP, "/tmp")
        lines = [line for line in text.splitlines() if change(line)]
        return Image("\n".join(lines), self.context, os.path.join(self.context, "root"))

    def end(self, program):
        program.communicate(timeout=60)
        self.assertEqual(program.returncode, 0)

    def test_an_image_with_the_archive_records_from_the_start(self):
        image = self.image()
        program = image.run()
        self.assertEqual(program.stdout.readline(), "ready\n")
        self.end(program)
        self.assert_hot(os.path.join(image.root, "tmp/app.jfr"), "App.main")

    def test_the_host_records_a_container_that_knows_nothing_of_it(self):
        image = self.image(lambda line: "jprof" not in line)
        self.assertEqual(os.listdir(image.root), ["app"])
        program = image.run()
        self.assertEqual(program.stdout.readline(), "ready\n")
        shell(block(CONTAINER, "sh").replace("PID", str(child_of(program))))
        self.end(program)
        with open(os.path.join(TMP, "app.html"), encoding="utf-8") as page:
            self.assertIn("App.burn", page.read().replace("App\",\"burn", "App.burn"))


if __name__ == "__main__":
    if os.geteuid() != 0:
        skip("only root can make the namespaces of a container")
    unittest.main()
