"""Tests the dependency of docs/packages.md: Maven takes the artifacts of a release from a folder, and
a program records itself without an installed jprof."""

import io
import os
import shutil
import sys
import unittest
import zipfile

from recipe import (BUILD, INSTALLED, ROOT, TMP, WORK, RecipeTest, block, fetch, need, project,
                    put_in, shell, write)

sys.path.insert(0, os.path.join(ROOT, "scripts"))
from releaselib import build, maven  # noqa: E402  (the path comes first)
from releaselib import project as release  # noqa: E402


def builds():
    """Returns this build, and one for AArch64 whose library is a text."""
    native, other = (build.Build(WORK, each) for each in release.ARCHITECTURES)
    native.folder, native.installed = BUILD, INSTALLED
    os.makedirs(os.path.join(other.installed, "lib"), exist_ok=True)
    write(os.path.join(other.installed, "lib/libprofiler.so"), "of another architecture")
    return [native, other]


class NativesRecipeTest(RecipeTest):
    def test_a_program_records_itself_with_the_artifacts_alone(self):
        folder = project("natives")
        with zipfile.ZipFile(io.BytesIO(maven.tree(builds()).zip())) as bundle:
            bundle.extractall(os.path.join(folder, "repository"))
        goals = "mvn -B compile dependency:build-classpath -Dmdep.outputFile=jars.txt"
        fetch(f"{goals} -Dmaven.main.skip", folder, "Maven's plugins")
        put_in(os.path.join(folder, "pom.xml"), block("Maven", "xml", "packages.md"),
               "<!-- recipe -->")
        # Maven would take older artifacts of this version from its cache.
        group = os.path.join(BUILD, "test/recipes/m2", release.MAVEN_GROUP.replace(".", "/"))
        shutil.rmtree(group, ignore_errors=True)
        shell(goals, folder)
        shutil.rmtree(INSTALLED)
        shell(f'java -cp "target/classes:$(cat jars.txt)" Shop {TMP}/shop.jfr', folder)
        recording = os.path.join(TMP, "shop.jfr")
        shell(f"cmake --install {BUILD} --prefix {INSTALLED} --component runtime")  # for the view
        self.assert_hot(recording, "Shop.sell")


if __name__ == "__main__":
    need("mvn")
    unittest.main()
