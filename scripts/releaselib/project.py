"""Facts about the release: names, version, time, architectures."""

import collections
import functools
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

NAME = "jprof"
DESCRIPTION = "profiler for Java: CPU and wall clock, written as JFR"
LICENCE = "Apache-2.0"
LICENCE_URL = "https://www.apache.org/licenses/LICENSE-2.0.txt"

# Placeholders: no one can own a name below .invalid. A publisher replaces them by a domain of its
# own (CONTRIBUTING.md, "A release").
DOMAIN = "jprof.invalid"
URL = f"https://{DOMAIN}"
MAVEN_GROUP = "invalid.jprof"
DEVELOPERS = "the developers of jprof"

# An architecture under the names that others give it. `jar` is the folder of the library in a jar
# (src/java/jprof/Library.java), `cross` the prefix of the cross compiler.
Architecture = collections.namedtuple("Architecture", "name debian rpm oci jar cross")
ARCHITECTURES = [
    Architecture("x64", "amd64", "x86_64", "amd64", "linux-x64", ""),
    Architecture("aarch64", "arm64", "aarch64", "arm64", "linux-arm64", "aarch64-linux-gnu-"),
]

# The largest files of a package, in bytes.
LARGEST = {"lib/libprofiler.so": 2_200_000, "bin/jprof": 6_000_000}


def run(*command, **options):
    """Runs a command and returns its standard output. Raises an error if the command fails."""
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **options).stdout


@functools.cache
def version():
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"project\(jprof VERSION (\S+)", file.read()).group(1)


@functools.cache
def commit_time():
    """Returns the time of the commit in seconds: the time of all files in packages."""
    return int(run("git", "-C", ROOT, "log", "-1", "--format=%ct"))


@functools.cache
def commit():
    return run("git", "-C", ROOT, "rev-parse", "HEAD").strip()
