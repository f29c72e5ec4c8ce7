"""Runs programs and parses the key=value lines that they print."""

import dataclasses
import os
import subprocess
import sys
import tempfile
import time


@dataclasses.dataclass
class Finished:
    milliseconds: float
    cpu_seconds: float  # CPU time of the whole process
    resident_mb: float  # peak resident memory of the process, VmHWM
    values: dict        # the key=value lines on its standard output


class Failed(Exception):
    """Raised for a program that did not end with exit code 0."""


def parse_values(text):
    """Returns {key: value} of the lines key=value. A value becomes a number if it can be parsed
    as one."""
    values = {}
    for line in text.splitlines():
        key, separator, value = line.partition("=")
        if not separator:
            continue
        try:
            values[key] = float(value)
        except ValueError:
            values[key] = value
    return values


def run(argv):
    """Runs a program to its end. Raises Failed, with the end of its output, if it fails."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        actions = [(os.POSIX_SPAWN_DUP2, out.fileno(), 1), (os.POSIX_SPAWN_DUP2, err.fileno(), 2)]
        start = time.monotonic()
        pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=actions)
        _, status, usage = os.wait4(pid, 0)
        elapsed = time.monotonic() - start
        out.seek(0)
        text = out.read().decode(errors="replace")
        if status != 0:
            err.seek(0)
            said = (text + err.read().decode(errors="replace")).strip().splitlines()[-20:]
            raise Failed(f"wait status {status} of: {' '.join(argv)}\n" + "\n".join(said))
    return Finished(elapsed * 1e3, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024,
                    parse_values(text))


def run_or_exit(argv):
    try:
        return run(argv)
    except Failed as failure:
        sys.exit(str(failure))


def cpu_seconds(pid):
    """Returns the CPU time of all threads of a process, as the kernel's scheduler counts it. The
    id of this clock is computed as the kernel does (MAKE_PROCESS_CPUCLOCK)."""
    return time.clock_gettime((~pid << 3) | 2)


class Program:
    """A running workload that reads commands on standard input and answers with key=value lines."""

    def __init__(self, argv, cpus=None):
        """Starts the workload. `cpus` are the processors that it may use; None allows all."""
        prepare = None if cpus is None else lambda: os.sched_setaffinity(0, cpus)
        self.process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, preexec_fn=prepare)
        self.read("ready")

    @property
    def pid(self):
        return self.process.pid

    def read(self, key):
        for line in self.process.stdout:
            if line.startswith(key + "="):
                return line[len(key) + 1:].strip()
        sys.exit(f"the program ended before it said {key}")

    def ask(self, line, key):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return float(self.read(key))

    def end(self):
        self.process.stdin.close()
        self.process.wait()
