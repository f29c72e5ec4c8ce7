"""An OpenTelemetry collector receives our files over HTTP and gRPC, and prints them back."""

import collections
import os
import re
import socket
import subprocess
import time
import unittest
import urllib.error
import urllib.request

from client import HERE, WORK, fetch, need, recordings

COLLECTOR = os.path.join(WORK, "collector")
CONFIG = """
receivers:
  otlp:
    protocols:
      grpc: {{endpoint: "127.0.0.1:{grpc}"}}
      http: {{endpoint: "127.0.0.1:{http}"}}
exporters:
  debug: {{verbosity: detailed}}
service:
  telemetry: {{metrics: {{level: none}}}}
  pipelines:
    profiles: {{receivers: [otlp], exporters: [debug]}}
"""
VALUE = re.compile(r"^        Values: \[(\d+)\]$")
THREAD = re.compile(r"^             -> thread\.name: (.*)$")
WAIT_S = 60


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Collector:
    """Runs a collector while it is entered; `printed` returns all its output."""

    def __enter__(self):
        self.grpc, self.http = free_port(), free_port()
        config = os.path.join(WORK, "config.yaml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(CONFIG.format(grpc=self.grpc, http=self.http))
        self.log = os.path.join(WORK, "collector.log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([COLLECTOR, "run", config], stdout=log, stderr=log)
        self.wait_for("Everything is ready")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)

    def printed(self):
        with open(self.log, encoding="utf-8", errors="replace", newline="\n") as file:
            return file.read()

    def wait_for(self, text, count=1):
        end = time.monotonic() + WAIT_S
        while self.printed().count(text) < count:
            assert self.process.poll() is None, self.printed()[-2000:]
            assert time.monotonic() < end, f"no '{text}': {self.printed()[-2000:]}"
            time.sleep(0.1)

    def post(self, path):
        with open(path, "rb") as file:
            request = urllib.request.Request(
                f"http://127.0.0.1:{self.http}/v1development/profiles", data=file.read(),
                headers={"Content-Type": "application/x-protobuf"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status

    def send(self, path):
        subprocess.run([COLLECTOR, "send", f"127.0.0.1:{self.grpc}", path], check=True, timeout=60)


def weights(printed):
    """Returns the summed weight of all samples by the name of their thread."""
    sums = collections.Counter()
    value = None
    for line in printed.split("\n"):
        if match := VALUE.match(line):
            value = int(match.group(1))
        elif match := THREAD.match(line):
            sums[match.group(1)] += value
    return sums


class OtlpClientTest(unittest.TestCase):
    def test_a_collector_prints_what_it_gets_over_http_and_grpc(self):
        converted = recordings()[1]
        otlp = converted.otlp()
        expected = collections.Counter()
        for profile in otlp.profiles:
            for thread, weight in otlp.totals(profile).of_thread.items():
                expected[thread.rsplit(" ", 1)[0]] += weight
        names = {name for profile in otlp.profiles for _, name in otlp.totals(profile).total_of}
        with Collector() as collector:
            self.assertEqual(collector.post(converted.path(".otlp")), 200)
            collector.wait_for("ResourceProfiles #0")
            collector.send(converted.path(".otlp"))
            collector.wait_for("ResourceProfiles #0", 2)
        printed = collector.printed()
        twice = collections.Counter({name: 2 * weight for name, weight in expected.items()})
        self.assertEqual(weights(printed), twice)
        lines = {line.strip() for line in printed.split("\n")}
        self.assertEqual(names - lines, set())

    def test_a_collector_refuses_what_is_no_profile(self):
        with Collector() as collector:
            path = os.path.join(WORK, "damaged.otlp")
            with open(path, "wb") as file:
                file.write(b"\xff\xff\xff")
            with self.assertRaises(urllib.error.HTTPError):
                collector.post(path)


if __name__ == "__main__":
    need("go")
    os.makedirs(WORK, exist_ok=True)
    fetch(["go", "build", "-o", COLLECTOR, "."], "the collector's Go modules",
          cwd=os.path.join(HERE, "collector"), env=dict(os.environ, GOTOOLCHAIN="local"))
    unittest.main()
