"""Code that the tests of docs/recipes.md share: reads the blocks of the page and runs them.

A block is run unchanged except for two folders: /opt/jprof is replaced by the result of
`cmake --install`, and /tmp by a folder of the test.
"""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "test", "support"))

from needs import need, skip  # noqa: E402, F401  (the path comes first; for the tests, too)

BUILD = os.environ["JPROF_BUILD"]
WORK = os.environ["JPROF_WORK"]  # the folder of this test, in the build folder
INSTALLED = os.path.join(WORK, "opt", "jprof")
TMP = os.path.join(WORK, "tmp")
TIMEOUT_S = 600

PLACES = {"/opt/jprof": INSTALLED, "/tmp": TMP}


def placed(text):
    return re.sub("|".join(PLACES), lambda place: PLACES[place.group()], text)


def blocks(section, language, page="recipes.md"):
    """Returns the blocks of a language in a section of a page, with the folders of the test."""
    with open(os.path.join(ROOT, "docs", page), encoding="utf-8") as file:
        sections = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", file.read(), re.M | re.S))
    found = re.findall(rf"^```{language}\n(.*?)^```$", sections[section], re.M | re.S)
    assert found, f"docs/{page}: no {language} in '{section}'"
    return [placed(text) for text in found]


def block(section, language, page="recipes.md"):
    (only,) = blocks(section, language, page)
    return only


def project(name):
    """Returns a fresh copy of a program of projects/."""
    folder = os.path.join(WORK, name)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(os.path.join(HERE, "projects", name), folder)
    return folder


def project_of_container():
    """Returns the project "container", built, beside the archive that cpack makes, unpacked."""
    folder = project("container")
    shell("javac App.java && mkdir target && jar cfe target/app.jar App *.class", folder)
    shell(f"cpack -G TGZ -D CPACK_COMPONENTS_ALL=runtime --config {BUILD}/CPackConfig.cmake"
          f" -B {WORK}/packages")
    (archive,) = glob.glob(f"{WORK}/packages/*.tar.gz")
    shell(f"tar xzf {archive}", folder)
    return folder


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def put_in(path, text, mark):
    """Replaces the mark in a file by `text`."""
    with open(path, encoding="utf-8") as file:
        before = file.read()
    assert before.count(mark) == 1, path
    write(path, before.replace(mark, text))


def environment(**more):
    """Returns an environment in which Maven keeps downloads and artifacts in the build folder."""
    repository = "-Dmaven.repo.local=" + os.path.join(BUILD, "test", "recipes", "m2")
    return dict(os.environ, MAVEN_OPTS=repository, **more)


def shell(command, folder=WORK):
    """Runs a block and returns its output."""
    done = subprocess.run(["sh", "-e", "-c", command], cwd=folder, env=environment(), text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=TIMEOUT_S, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}"
    return done.stdout


def fetch(command, folder, name):
    """Runs a command that needs the network, and skips the test if the network is missing."""
    try:
        shell(command, folder)
    except AssertionError as failure:
        if re.search(r"Could not (transfer|resolve|find) |Unknown host|offline", str(failure)):
            skip(f"cannot get {name}: {str(failure).strip().splitlines()[-1]}")
        raise


def install():
    """Installs jprof into the folder for /opt/jprof, and empties the folder for /tmp."""
    for folder in (INSTALLED, TMP):
        shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(TMP)
    subprocess.run(["cmake", "--install", BUILD, "--prefix", INSTALLED, "--component", "runtime"],
                   check=True, stdout=subprocess.DEVNULL)


class RecipeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        install()

    def recordings(self, beginning):
        """Returns the recordings in the folder that replaces /tmp."""
        return sorted(os.path.join(TMP, name) for name in os.listdir(TMP)
                      if name.startswith(beginning) and name.endswith(".jfr"))

    def view(self, recording, name):
        """Returns the rows of a view."""
        said = subprocess.run([os.path.join(INSTALLED, "bin", "jprof"), "view", name, recording,
                               "--json", "--limit", "0"],
                              check=True, text=True, stdout=subprocess.PIPE).stdout
        return json.loads(said)["rows"]

    def assert_hot(self, recording, method):
        methods = [row["method"] for row in self.view(recording, "methods")]
        self.assertTrue(any(method in each for each in methods), f"{method}: {methods[:40]}")
