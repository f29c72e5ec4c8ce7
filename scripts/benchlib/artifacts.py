"""Fetches released artifacts with Maven, once, in the versions that the pom.xml files in
test/java name."""

import glob
import os
import shutil
import subprocess
import zipfile

from benchlib.paths import JAVA_SOURCES


def jars(build, project):
    """Returns the paths of the jars that the project depends on; [] if Maven cannot fetch them."""
    folder = build.path("bench", project)
    if not os.path.isdir(folder) and shutil.which("mvn"):
        _fetch(os.path.join(JAVA_SOURCES, project, "pom.xml"), folder)
    return sorted(glob.glob(os.path.join(folder, "*.jar")))


def member(build, project, name):
    """Returns the path of the file `name`, which is extracted from the project's jars; None if
    missing."""
    for jar in jars(build, project):
        path = os.path.join(os.path.dirname(jar), name)
        if os.path.exists(path):
            return path
        with zipfile.ZipFile(jar) as content:
            if name in content.namelist():
                return content.extract(name, os.path.dirname(jar))
    return None


def fetched(pom, text, folder):
    """Returns the paths of the jars that a pom.xml with this text depends on; [] if Maven cannot
    fetch them. Jars in the folder are fetched again only if the text has changed."""
    if not os.path.exists(pom) or _text_of(pom) != text:
        shutil.rmtree(folder, ignore_errors=True)
        with open(pom, "w", encoding="utf-8") as file:
            file.write(text)
    if not os.path.isdir(folder) and shutil.which("mvn"):
        _fetch(pom, folder)
    return sorted(glob.glob(os.path.join(folder, "*.jar")))


def _text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


# Fetches to another folder, which is renamed at the end, so that an existing `folder` is complete.
def _fetch(pom, folder):
    unfinished = f"{folder}.{os.getpid()}"
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    done = subprocess.run(["mvn", "-q", "-B", "-f", pom, "dependency:copy-dependencies",
                           f"-DoutputDirectory={unfinished}"], check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if done.returncode == 0 and os.path.isdir(unfinished):
        os.rename(unfinished, folder)
    shutil.rmtree(unfinished, ignore_errors=True)
