"""Runs a program in a JVM from its start to its end, and reports its failures."""

import glob
import os
import shutil
import signal
import subprocess
import threading
import time

from benchlib import jdks, paths, processes
from strangerlib import table

HEAP = ("-Xmx512m",)
# A run may take so much longer than its load, for the start of the program and its first
# operations, on two busy cores with a profiler. A program that takes longer counts as hanging.
START_SECONDS = 240
LOAD_THREADS = 2


class Failed(Exception):
    """Raised for a program that crashed, hung or ended with an error."""


def java(jdk):
    """Returns the words of the command that runs java of a JDK; None if this machine cannot run
    it. A JDK that is not installed runs in the root file system of scripts/jdk-matrix, which
    sees the checkout."""
    home = home_of(jdk)
    if home:
        return [home + "/bin/java"]
    if os.geteuid() == 0:
        return [os.path.join(paths.ROOT, "scripts", "jdk-matrix"), "java", str(jdk)]
    return None


def home_of(jdk):
    return next((home for home in jdks.installed() if jdks.release(home) == jdk), None)


def fresh_folder(*names):
    folder = os.path.join(table.WORK, "runs", *names)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder


def _crash_frame(report):
    """Returns the innermost frame of a JVM's crash report."""
    with open(report, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    if "# Problematic frame:" not in lines:
        return "an unknown frame"
    return lines[lines.index("# Problematic frame:") + 1].lstrip("# ")


class Jvm:
    """A program under load for `seconds`. If `seconds` is 0, the load lasts until end(), and the
    program may take `patience` seconds more."""

    def __init__(self, program, jdk, folder, seconds, options=(), patience=0, environment=()):
        path = table.compiled(program, home_of(17) or jdks.installed()[-1])
        self.folder = folder
        self.patience = START_SECONDS + 4 * seconds + patience
        self.values = {}
        self.lines = []
        self.begin = time.monotonic()
        # The options of the program's row come after HEAP, so that they replace it.
        argv = [*java(jdk), *HEAP, *program.options, f"-XX:ErrorFile={folder}/hs_err.log",
                f"-Dstranger.folder={folder}", *options, "-cp", path, "Stranger", program.driver,
                str(program.operations), str(LOAD_THREADS), str(seconds)]
        with open(os.path.join(folder, "command"), "w", encoding="utf-8") as file:
            file.write(" ".join(f"{name}={text}" for name, text in environment))
            file.write(" " + " ".join(argv) + "\n")
        with open(os.path.join(folder, "stderr"), "wb") as errors:
            self.process = subprocess.Popen(argv, cwd=folder, env={**os.environ, **dict(environment)},
                                            stdin=subprocess.PIPE, text=True,
                                            stdout=subprocess.PIPE, stderr=errors)
        # Kills a program that hangs. This also ends the reading of its output.
        self.is_late = False
        self.timer = threading.Timer(self.patience, self._kill)
        self.timer.daemon = True
        self.timer.start()

    def _kill(self):
        self.is_late = True
        if "ready" in self.values:
            os.kill(int(self.values["ready"]), signal.SIGQUIT)  # prints the stacks of the threads
            time.sleep(2)
            os.kill(int(self.values["ready"]), signal.SIGKILL)
        self.process.kill()

    def read(self, key):
        """Reads lines up to the one with this key, and returns its value."""
        for line in self.process.stdout:
            self.lines.append(line)
            self.values.update(processes.parse_values(line))
            # These values stay texts, because a hash can look like a number.
            for name in ("result", "counts", "end.counts"):
                if line.startswith(name + "="):
                    self.values[name] = line[len(name) + 1:].strip()
            if line.startswith(key + "="):
                return self.values[key]
        self._check_end()
        raise Failed(f"ended before it said {key}: see {paths.shown(self.folder)}")

    @property
    def pid(self):
        return int(self.values["ready"])

    def counts(self):
        """Returns [threads, descriptors, bytes of metaspace] after a garbage collection."""
        self._tell("counts")
        return [int(word) for word in self.read("counts").split()]

    def _tell(self, line):
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            self.read("any line")

    def retransform(self, classes, times):
        """Makes the agent of table.retransforming_agent() retransform the classes `times` times."""
        self._tell(f"retransform {times} {','.join(classes)}")
        self.read("retransformed")

    def end(self):
        self._tell("end")

    def finish(self):
        """Waits for the end, and returns the key=value lines. Raises Failed if the program has
        failed."""
        self.read("end.cpu.nanos")
        for line in self.process.stdout:
            self.lines.append(line)
        self._check_end()
        if self.values["wrong"] != 0:
            raise Failed(f"{self.values['wrong']:.0f} operations had another result under load")
        return self.values

    def _check_end(self):
        code = self.process.wait()
        self.timer.cancel()
        with open(os.path.join(self.folder, "stdout"), "w", encoding="utf-8") as file:
            file.writelines(self.lines)
        reports = glob.glob(os.path.join(self.folder, "hs_err*"))
        if self.is_late:
            raise Failed(f"hung: no end after {self.patience:.0f} s: see {paths.shown(self.folder)}")
        if reports:
            raise Failed(f"crashed in {_crash_frame(reports[0])}: see {paths.shown(reports[0])}")
        if code != 0:
            raise Failed(f"exit code {code}: {self._last_error()}: see {paths.shown(self.folder)}/stderr")

    def _last_error(self):
        """Returns the innermost exception on standard error, or else the last line there."""
        with open(os.path.join(self.folder, "stderr"), encoding="utf-8", errors="replace") as file:
            lines = [line.strip() for line in file if line.strip()]
        causes = [line for line in lines if line.startswith("Caused by:")]
        return (causes or lines or ["no message"])[-1][:200]

    def kill(self):
        """Kills the program if it is still running."""
        self.timer.cancel()
        if self.process.poll() is None:
            if "ready" in self.values:
                os.kill(self.pid, signal.SIGKILL)
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass  # a line that the program has not read
