"""The Firefox Profiler's own code, as its command line, finds our methods with our numbers."""

import json
import os
import subprocess
import time
import unittest

from client import HERE, WORK, fetch, need, recordings
from totals import plain

PACKAGE = "node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js"
TRIES = 10  # its daemon is given half a second to start


class ProfilerCli:
    def __init__(self):
        self.environment = dict(os.environ, PROFILER_CLI_SESSION_DIR=os.path.join(WORK, "sessions"))

    def run(self, *arguments, check=True):
        return subprocess.run(["node", os.path.join(WORK, PACKAGE), *arguments], check=check,
                              env=self.environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=120)

    def load(self, path):
        for turn in range(TRIES):
            session = f"s{time.monotonic_ns()}"
            if self.run("load", path, "--session", session, check=False).returncode == 0:
                return session
            self.run("stop", "--all", check=False)
            time.sleep(turn)
        raise AssertionError(f"cannot load {path}: {self.run('load', path, check=False).stderr}")

    def json(self, session, *arguments):
        return json.loads(self.run(*arguments, "--session", session, "--json").stdout)


class FirefoxClientTest(unittest.TestCase):
    def test_methods_have_our_totals_in_every_thread(self):
        cli = ProfilerCli()
        try:
            for converted in recordings():
                firefox = converted.firefox()
                expected = converted.collapsed("cpu")
                session = cli.load(converted.path(".json"))
                compared = 0
                for index, thread in enumerate(firefox.threads):
                    if not thread["pid"].endswith(".cpu"):
                        continue
                    name = f'{plain(thread["name"])} {thread["tid"]}'
                    functions = cli.json(session, "thread", "functions", "--thread", f"t-{index}",
                                         "--include-idle")["functions"]
                    self.assertGreater(len(functions), 0)
                    for function in functions:
                        method = plain(function["name"])
                        method = method[:method.rindex("(")] if method.endswith(")") else method
                        with self.subTest(thread=name, method=method):
                            self.assertEqual(function["selfSamples"], expected.self_of[name, method])
                            self.assertEqual(function["totalSamples"],
                                             expected.total_of[name, method])
                            compared += 1
                self.assertGreater(compared, 3)
        finally:
            cli.run("stop", "--all", check=False)

    def test_processes_have_our_cpu_time(self):
        cli = ProfilerCli()
        try:
            for converted, interval_ms in zip(recordings(), (10, 0.1)):
                converted.firefox()
                session = cli.load(converted.path(".json"))
                processes = cli.json(session, "profile", "info", "--all")["processes"]
                samples = sum(converted.collapsed("cpu").of_thread.values())
                for process in processes:
                    self.assertAlmostEqual(process["cpuMs"], samples * interval_ms, places=3)
        finally:
            cli.run("stop", "--all", check=False)


if __name__ == "__main__":
    need("node")
    need("npm")
    os.makedirs(WORK, exist_ok=True)
    if not os.path.exists(os.path.join(WORK, PACKAGE)):
        with open(os.path.join(HERE, "package.json"), encoding="utf-8") as source:
            package = source.read()
        with open(os.path.join(WORK, "package.json"), "w", encoding="utf-8") as target:
            target.write(package)
        fetch(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"],
              "the Firefox Profiler's command line from npm", cwd=WORK)
    unittest.main()
