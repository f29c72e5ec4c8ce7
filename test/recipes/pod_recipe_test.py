"""Tests the recipes for a pod of Kubernetes.

kubectl runs the command lines against a server that answers like a cluster (cluster.py). The
containers that its requests describe are then made in namespaces of this machine (image.py), and
the commands of the requests are executed in them.
"""

import glob
import json
import os
import re
import shlex
import signal
import subprocess
import time
import unittest

from cluster import Cluster
from image import DEFAULT_CAPABILITIES, Image, child_of
from recipe import (INSTALLED, TMP, WORK, RecipeTest, block, need, project_of_container, shell,
                    skip)

POD = "A pod of Kubernetes"
APP = """FROM jdk
COPY target/app.jar /app/app.jar
CMD ["java", "-jar", "/app/app.jar"]"""
APP_USER = 1000


def in_image(text):
    """Returns the text with paths as they are in an image."""
    return text.replace(INSTALLED, "/opt/jprof").replace(TMP, "/tmp")


class PodRecipeTest(RecipeTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.context = project_of_container()

    def setUp(self):
        self.app = Image(APP, self.context, os.path.join(self.context, "app"))
        self.jprof = Image(in_image(block(POD, "dockerfile")), self.context,
                           os.path.join(self.context, "jprof"))

    def start(self, image, **how):
        program = image.run(**how)
        self.addCleanup(program.communicate, timeout=60)
        return program

    def start_app(self, **how):
        program = self.start(self.app, user=APP_USER, **how)
        self.assertEqual(program.stdout.readline(), "ready\n")
        return program

    def execute(self, container, command, output=None):
        """Executes a command in a container, with the rights of its first process."""
        with open(f"/proc/{container}/status", encoding="ascii") as file:
            status = file.read()
        user = re.search(r"^Uid:\t(\d+)", status, re.M)[1]
        bound = int(re.search(r"^CapBnd:\t(\w+)", status, re.M)[1], 16)
        with open("/proc/sys/kernel/cap_last_cap", encoding="ascii") as file:
            last = int(file.read())
        bounds = ",".join(["-all"] + [f"+cap_{i}" for i in range(last + 1) if bound >> i & 1])
        return subprocess.run(
            ["nsenter", f"--target={container}", "--pid", "--mount", "--root", "--wd=/", "setpriv",
             f"--bounding-set={bounds}", "--inh-caps=-all", f"--reuid={user}", f"--regid={user}",
             "--clear-groups", *command],
            text=True, timeout=300, stdin=subprocess.DEVNULL, stdout=output or subprocess.PIPE,
            stderr=subprocess.PIPE, check=False)

    def assert_page(self, path):
        with open(path, encoding="utf-8") as page:
            self.assertIn("App.burn", page.read().replace("App\",\"burn", "App.burn"))

    def start_sleeping(self, **how):
        """Starts a container with jprof whose command is sleep. Returns the pid of the command."""
        program = self.start(self.jprof, **how)
        for _ in range(1000):
            pid = child_of(program)
            with open(f"/proc/{pid}/comm", encoding="ascii") as name:
                if name.read() == "sleep\n":
                    self.addCleanup(os.kill, pid, signal.SIGKILL)
                    return pid
            time.sleep(0.02)
        self.fail("the container did not start its command")

    def debug_container(self, profile_of):
        """Runs the first command line, changed by `profile_of`, and starts what it describes."""
        cluster = Cluster("shop-0", "app")
        self.addCleanup(cluster.close)
        app = child_of(self.start_app())
        lines = in_image(block(POD, "console")).splitlines()
        words = shlex.split(profile_of(lines[0]))
        self.assertEqual(words[:2], ["kubectl", "debug"])
        added = cluster.debug(words[1:], WORK)
        self.assertEqual(added["targetContainerName"], "app")
        more = added.get("securityContext", {}).get("capabilities", {}).get("add", [])
        capabilities = DEFAULT_CAPABILITIES + [each.lower() for each in more]
        container = self.start_sleeping(command=added["command"], capabilities=capabilities,
                                        share=app)
        return cluster, added["name"], container, lines[1:]

    def test_kubectl_debug_records_a_running_pod(self):
        cluster, name, container, lines = self.debug_container(lambda line: line)
        result = os.path.join(WORK, "app.html")
        for line in lines:
            command, _, output = line.partition(" >")
            words = shlex.split(command)
            self.assertEqual(words[:2], ["kubectl", "exec"])
            where, what = cluster.execution(words[1:], WORK)
            self.assertEqual(where, name)
            with open(result if output else os.devnull, "w", encoding="utf-8") as file:
                done = self.execute(container, what, file)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_page(result)
        left = glob.glob(os.path.join(self.app.root, "tmp", ".jprof*"))
        self.assertEqual(left, [], "the copy of the library is removed")

    def test_another_profile_lacks_the_capability(self):
        _, _, container, lines = self.debug_container(
            lambda line: line.replace("--profile=general", "--profile=baseline"))
        command = shlex.split(lines[0].partition(" -- ")[2])
        # Without the capability, jprof cannot see the name of the program.
        done = self.execute(container, command[:-1] + ["1"])
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn("CAP_SYS_PTRACE", done.stderr)

    def test_kubectl_knows_every_word_of_the_pod(self):
        import yaml  # pylint: disable=import-outside-toplevel

        text = block(POD, "yaml")
        path = os.path.join(WORK, "pod.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(in_image(text))
        cluster = Cluster("shop-0", "app")
        self.addCleanup(cluster.close)
        # kubectl drops words that it does not know, because it converts the text to its own types.
        done = cluster.kubectl(["set", "env", "--local", "-f", path, "-o", "json", "A=b"], WORK)
        self.assertEqual(done.returncode, 0, done.stdout)
        known, wanted = json.loads(done.stdout), yaml.safe_load(in_image(text))
        self.assert_contains(known, wanted, "pod")

    def assert_contains(self, known, wanted, path):
        if isinstance(wanted, dict):
            for key, value in wanted.items():
                self.assertIn(key, known, path)
                self.assert_contains(known[key], value, f"{path}.{key}")
        elif isinstance(wanted, list):
            self.assertEqual(len(known), len(wanted), path)
            for i, value in enumerate(wanted):
                self.assert_contains(known[i], value, f"{path}[{i}]")
        else:
            self.assertEqual(known, wanted, path)

    def test_a_second_container_of_the_same_user_needs_no_capability(self):
        import yaml  # pylint: disable=import-outside-toplevel

        spec = yaml.safe_load(in_image(block(POD, "yaml")))["spec"]
        self.assertTrue(spec["shareProcessNamespace"])
        user = spec["securityContext"]["runAsUser"]
        app, jprof = spec["containers"]
        for each in (app, jprof):
            self.assertEqual(each["securityContext"]["capabilities"], {"drop": ["ALL"]})
        pause = subprocess.Popen(["unshare", "--pid", "--fork", "--kill-child", "sleep", "1000"])
        self.addCleanup(pause.wait)
        self.addCleanup(pause.kill)
        tmp = os.path.join(WORK, "tmp-of-app")
        os.makedirs(tmp, exist_ok=True)
        self.assertEqual([mount["mountPath"] for mount in app["volumeMounts"]], ["/tmp"])
        program = self.app.run(user=user, capabilities=[], tmp=tmp, share=child_of(pause),
                               read_only=app["securityContext"]["readOnlyRootFilesystem"])
        self.addCleanup(program.communicate, timeout=60)
        self.assertEqual(program.stdout.readline(), "ready\n")
        second = self.start_sleeping(command=jprof["command"], user=user, capabilities=[],
                                     share=child_of(pause))
        for line in in_image(block(POD, "console")).splitlines()[1:]:
            command, _, output = line.partition(" >")
            words = shlex.split(command.partition(" -- ")[2])
            with open(os.path.join(WORK, "second.html") if output else os.devnull, "w",
                      encoding="utf-8") as file:
                done = self.execute(second, words, file)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_page(os.path.join(WORK, "second.html"))

    def test_the_node_records_a_pod_by_its_name(self):
        app = child_of(self.start_app())
        folder = os.path.join(WORK, "run/containerd/io.containerd.runtime.v2.task/k8s.io/a1b2c3")
        os.makedirs(folder, exist_ok=True)
        annotations = {"io.kubernetes.cri.container-name": "app",
                       "io.kubernetes.cri.container-type": "container",
                       "io.kubernetes.cri.sandbox-name": "shop-0",
                       "io.kubernetes.cri.sandbox-namespace": "default"}
        with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
            json.dump({"annotations": annotations}, file)
        with open(os.path.join(folder, "init.pid"), "w", encoding="utf-8") as file:
            file.write(str(app))
        shell(f"unshare --mount sh -ec 'mount --bind {WORK}/run /run; {block(POD, 'sh').strip()}'")
        self.assert_page(os.path.join(TMP, "app.html"))


if __name__ == "__main__":
    if os.geteuid() != 0:
        skip("only root can make the namespaces of a container")
    need("kubectl")
    unittest.main()
