"""Tests the recipe for a container without a registry: executes its Dockerfile on this machine.

The base image is this machine's /usr with its JDK, read-only. COPY, ENV and CMD are executed as
written, in separate namespaces for mounts and processes.
"""

import glob
import json
import os
import shutil
import subprocess
import unittest

from recipe import BUILD, INSTALLED, TMP, WORK, RecipeTest, block, project, shell, skip

CONTAINER = "A container"
ENTER = """set -e
for folder in usr lib lib64 bin sbin etc; do
  if [ -L "/$folder" ]; then cp -P "/$folder" "$1"; else
    mkdir -p "$1/$folder"; mount --rbind -o ro "/$folder" "$1/$folder"; fi
done
mkdir -p "$1/proc" "$1/dev" "$1/tmp"
mount -t proc none "$1/proc"
mount --rbind /dev "$1/dev"
root=$1; shift
exec chroot "$root" env "$@"
"""


class Image:
    """An image that a Dockerfile makes from the files in `context`, in the folder `root`."""

    def __init__(self, dockerfile, context, root):
        self.root, self.environment, self.command = root, [], None
        shutil.rmtree(root, ignore_errors=True)
        os.makedirs(root)
        for line in dockerfile.splitlines():
            instruction, words = line.split(" ", 1)
            getattr(self, instruction.lower())(words, context)

    def from_(self, *_):
        """The base is the machine itself."""

    def copy(self, words, context):
        source, target = (path.lstrip("/") for path in words.split())
        target = os.path.join(self.root, target)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        source = os.path.join(context, source)
        (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, target)

    def env(self, words, _):
        name, value = words.split("=", 1)
        self.environment.append(f"{name}={json.loads(value)}")

    def cmd(self, words, _):
        self.command = json.loads(words)

    def run(self):
        return subprocess.Popen(
            ["unshare", "--mount", "--pid", "--fork", "sh", "-c", ENTER, "sh", self.root,
             *self.environment, *self.command],
            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


setattr(Image, "from", Image.from_)


class ContainerRecipeTest(RecipeTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.context = project("container")
        shell("javac App.java && mkdir target && jar cfe target/app.jar App *.class", cls.context)
        shell(f"cpack -G TGZ -D CPACK_COMPONENTS_ALL=runtime --config {BUILD}/CPackConfig.cmake"
              f" -B {WORK}/packages")
        (archive,) = glob.glob(f"{WORK}/packages/*.tar.gz")
        shell(f"tar xzf {archive}", cls.context)

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
        with open(f"/proc/{program.pid}/task/{program.pid}/children", encoding="ascii") as children:
            pid = children.read().split()[0]
        shell(block(CONTAINER, "sh").replace("PID", pid))
        self.end(program)
        with open(os.path.join(TMP, "app.html"), encoding="utf-8") as page:
            self.assertIn("App.burn", page.read().replace("App\",\"burn", "App.burn"))


if __name__ == "__main__":
    if os.geteuid() != 0:
        skip("only root can make the namespaces of a container")
    unittest.main()
