"""Reads the programs of test/strangers/programs.txt, fetches their jars and compiles their drivers."""

import dataclasses
import os
import subprocess
import sys
import zipfile

from benchlib import artifacts, paths

FOLDER = os.path.join(paths.ROOT, "test", "strangers")
WORK = os.path.join(paths.ROOT, "build", "strangers")
NONE = "-"


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    driver: str
    operations: int
    jdks: tuple
    artifacts: tuple
    options: tuple
    traced: str
    beside: tuple
    remark: str


@dataclasses.dataclass(frozen=True)
class Agent:
    """Another agent that runs in the same JVM. {jar} in `options` stands for its jar's path."""

    name: str
    artifact: str
    options: tuple


@dataclasses.dataclass(frozen=True)
class Beside:
    """The other software that a program runs with, and how its JVM is started for this."""

    name: str = NONE
    environment: tuple = ()  # pairs (name, text)
    front: tuple = ()        # options of the JVM in front of the profiler's
    behind: tuple = ()       # options after the profiler's, which therefore records their start
    left_out: tuple = ()     # engines of the profiler that cannot run in this JVM


ALONE = Beside()


class Missing(Exception):
    """Raised for something that this machine lacks and cannot fetch."""


def rows(name):
    """Yields the columns of each row of a table in test/strangers."""
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                yield [column.strip() for column in line.split(" | ")]


def words(text):
    return () if text == NONE else tuple(text.split())


def programs():
    """Returns {name: Program}, in the order of the table."""
    found = {}
    for name, driver, operations, jdks, needed, options, traced, beside, remark in rows(
            "programs.txt"):
        found[name] = Program(name, driver, int(operations), tuple(map(int, jdks.split())),
                              words(needed), words(options), traced, words(beside),
                              "" if remark == NONE else remark)
    return found


def agents():
    """Returns {name: Agent}."""
    return {name: Agent(name, artifact, words(options))
            for name, artifact, options in rows("agents.txt")}


def _dependency(artifact):
    group, name, version, *rest = artifact.split(":")
    kind = rest[0] if rest else "jar"
    classifier = f"<classifier>{rest[1]}</classifier>" if len(rest) > 1 else ""
    return (f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId>"
            f"<version>{version}</version><type>{kind}</type>{classifier}</dependency>")


def _jars(name, needed):
    """Returns the paths of the jars of these artifacts, which are fetched once; [] if Maven
    cannot fetch them."""
    if not needed:
        return []
    folder = os.path.join(WORK, "jars", name)
    pom = folder + ".xml"
    text = ('<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
            f"<groupId>jprof</groupId><artifactId>stranger-{name}</artifactId><version>1</version>"
            "<dependencies>" + "".join(map(_dependency, needed)) + "</dependencies></project>\n")
    os.makedirs(os.path.dirname(pom), exist_ok=True)
    return artifacts.fetched(pom, text, folder)


def jars(program):
    return _jars(program.name, program.artifacts)


def check_jars(program):
    """Raises Missing if Maven cannot fetch the jars of the program."""
    if program.artifacts and not jars(program):
        raise Missing(f"Maven cannot get {program.name}")


def beside(agent):
    """Returns the Beside of one agent. Raises Missing if Maven cannot fetch it."""
    found = _jars(agent.name, [agent.artifact])
    if not found:
        raise Missing(f"Maven cannot get {agent.name}")
    return Beside(agent.name,
                  behind=tuple(option.replace("{jar}", found[0]) for option in agent.options))


def retransforming_agent():
    """Returns the JVM option that loads Retransforms, an agent on each driver's class path."""
    jar = os.path.join(WORK, "retransforms.jar")
    os.makedirs(WORK, exist_ok=True)
    with zipfile.ZipFile(jar, "w") as file:
        file.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nPremain-Class: Retransforms\n"
                                              "Can-Retransform-Classes: true\n")
    return f"-javaagent:{jar}"


def compiled(program, home):
    """Returns the class path of a driver. Compiles the driver if it is newer than its classes."""
    classes = os.path.join(WORK, "classes", program.driver)
    path = os.pathsep.join([classes, *jars(program)])
    sources = [os.path.join(FOLDER, name + ".java")
               for name in ("Stranger", "Retransforms", program.driver)]
    stamp = os.path.join(classes, "stamp")
    if os.path.exists(stamp) and os.path.getmtime(stamp) >= max(map(os.path.getmtime, sources)):
        return path
    os.makedirs(classes, exist_ok=True)
    done = subprocess.run([home + "/bin/javac", "--release", "17", "-g",
                           "-Xlint:-options", "-proc:none", "-d", classes, "-cp", path, *sources],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stdout)
    with open(stamp, "w", encoding="ascii"):
        return path
