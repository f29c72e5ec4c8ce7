"""The Firefox Profiler's own command line finds our methods with our numbers."""

import json
import os
import subprocess
import time
import unittest

from client import HERE, WORK, fetch, need, recordings
from totals import plain

PACKAGE = "node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js"
WAIT_S = 120


class ProfilerCli:
    """Keeps a profile loaded in the command line's daemon while it is entered. Starts the daemon
    itself: `load` gives it half a second to start, which is too short on a busy machine."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.session = f"s{time.monotonic_ns()}"
        self.environment = dict(os.environ, PROFILER_CLI_SESSION_DIR=os.path.join(WORK, "sessions"))

    def __enter__(self):
        os.makedirs(self.environment["PROFILER_CLI_SESSION_DIR"], exist_ok=True)
        self.daemon = subprocess.Popen(
            ["node", os.path.join(WORK, PACKAGE), "--daemon", self.path, "--session", self.session],
            env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        end = time.monotonic() + WAIT_S
        answer = None
        while not self.is_announced() or (answer := self.run("profile", "info")).returncode != 0:
            assert self.daemon.poll() is None, "the daemon has ended"
            assert time.monotonic() < end, answer.stderr if answer else "the daemon does not listen"
            time.sleep(0.5)
        return self

    def __exit__(self, *_):
        self.daemon.terminate()
        self.daemon.wait(30)

    def is_announced(self):
        """True if the daemon listens and has written its address. A client that asks earlier takes
        the daemon for dead and removes its socket and file, after which no client finds it."""
        place = os.path.join(self.environment["PROFILER_CLI_SESSION_DIR"], self.session + ".json")
        try:
            with open(place, encoding="utf-8") as file:
                return "socketPath" in json.load(file)
        except (OSError, ValueError):  # missing or incomplete
            return False

    def run(self, *arguments):
        return subprocess.run(
            ["node", os.path.join(WORK, PACKAGE), *arguments, "--session", self.session],
            env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            timeout=120)

    def json(self, *arguments):
        answer = self.run(*arguments, "--json")
        assert answer.returncode == 0, answer.stderr
        return json.loads(answer.stdout)


class FirefoxClientTest(unittest.TestCase):
    def test_methods_have_our_totals_in_every_thread(self):
        for converted in recordings():
            firefox = converted.firefox()
            expected = converted.collapsed("cpu")
            compared = 0
            with ProfilerCli(converted.path(".json")) as cli:
                for index, thread in enumerate(firefox.threads):
                    if not thread["pid"].endswith(".cpu"):
                        continue
                    name = f'{plain(thread["name"])} {thread["tid"]}'
                    functions = cli.json("thread", "functions", "--thread", f"t-{index}",
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

    def test_processes_have_our_cpu_time(self):
        for converted, interval_ms in zip(recordings(), (10, 0.1)):
            converted.firefox()
            samples = sum(converted.collapsed("cpu").of_thread.values())
            with ProfilerCli(converted.path(".json")) as cli:
                for process in cli.json("profile", "info", "--all")["processes"]:
                    self.assertAlmostEqual(process["cpuMs"], samples * interval_ms, places=3)


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
