"""Shared parts of the tests in JVMs: classes with probes, and JVMs that run on them."""

import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "scripts"))

from benchlib import jdks  # noqa: E402  (the path comes first)

PROBE_CLASSES = os.environ["JPROF_PROBE_CLASSES"]
WORK = os.environ["JPROF_WORK"]
TARGET = "java/lang/JprofProbes"
VERIFY = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal",
          "-XX:+BytecodeVerificationRemote"]


def homes():
    """Returns the JDKs whose classes get probes."""
    return [home for home in jdks.installed() if jdks.release(home) >= 11]


def run(command, **options):
    """Runs a command and returns its output. Fails with the output if the command fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command[0]} ended with {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


def values(output):
    """Returns the key=value pairs of the output."""
    return dict(re.findall(r"^(\w+)=(.*)$", re.sub(r" (?=\w+=)", "\n", output), re.MULTILINE))


def counts(output):
    """Returns {method: (entries, exits, exceptions)} from the output of JprofProbesView."""
    found = re.findall(r"^counts (-?\d+) (-?\d+) (-?\d+) (.*)$", output, re.MULTILINE)
    return {name: tuple(int(number) for number in numbers) for *numbers, name in found}


def fresh_folder(*names):
    folder = os.path.join(WORK, *names)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder


class ProbedJvm:
    """A JDK, classes with probes for it, and what the probes call."""

    def __init__(self, home, name, options=()):
        self.home = home
        self.options = options
        self.folder = fresh_folder(f"{name}-{jdks.name(home)}")
        self.probed = os.path.join(self.folder, "probed")
        self.methods = os.path.join(self.folder, "methods")
        self.target = self.compile("target", ["JprofProbes.java"],
                                   f"--patch-module=java.base={HERE}/java")
        self.programs = self.compile(
            "programs", ["LinkClasses.java", "CompileSources.java", "KnownCalls.java",
                         "JprofProbesView.java"])

    def program(self, name):
        return os.path.join(self.home, "bin", name)

    def compile(self, folder, sources, *options):
        classes = os.path.join(self.folder, folder)
        run([self.program("javac"), "-g", "-d", classes, *options,
             *(os.path.join(HERE, "java", source) for source in sources)])
        return classes

    def modules(self, *includes):
        """Extracts all classes of the JDK, or those that match a regex; returns their folder."""
        folder = os.path.join(self.folder, "modules")
        chosen = ["--include", ",".join(f"regex:{regex}" for regex in includes)] if includes else []
        run([self.program("jimage"), "extract", "--dir", folder, *chosen,
             os.path.join(self.home, "lib", "modules")])
        return folder

    def probe(self, folder):
        """Puts probes into all methods; returns the counts that PROBE_CLASSES prints."""
        output = run([PROBE_CLASSES, folder, self.probed, TARGET, self.methods])
        print(f"{jdks.name(self.home)}: {output}", end="", flush=True)
        return values(output)

    def java(self, program, *arguments, class_path=(), modules=(), options=()):
        """Runs a program with the modules of `modules` (a folder) patched."""
        patches = {"java.base": self.target}
        for module in os.listdir(modules) if modules else ():
            patched = os.path.join(modules, module)
            patches[module] = f"{patches[module]}:{patched}" if module in patches else patched
        return run([self.program("java"), *VERIFY, *self.options, *options,
                    *(f"--patch-module={module}={path}" for module, path in patches.items()),
                    "--add-modules=ALL-SYSTEM", "-cp", ":".join([*class_path, self.programs]),
                    program, *arguments])
