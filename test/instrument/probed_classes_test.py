"""Tests that JVMs accept classes with probes, and run on them as before."""

import glob
import os
import shutil
import unittest

from benchlib import jdks
from probed_jvm import HERE, WORK, ProbedJvm, counts, fresh_folder, homes, run, values

SOURCES = sorted(glob.glob(os.path.join(HERE, "..", "java", "workloads", "*.java")))


def content(folder):
    """Returns {name: bytes} of the files of a folder."""
    files = {}
    for path, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(path, name), "rb") as file:
                files[os.path.relpath(os.path.join(path, name), folder)] = file.read()
    return files


class KnownCallsTest(unittest.TestCase):
    # Numbers of entries, exits and exceptions: see KnownCalls.java.
    EXPECTED = {
        "KnownCalls.class everySecondFails(I)I": (2000, 1000, 1000),
        "KnownCalls.class locked(JD)J": (1000, 500, 500),
        "KnownCalls.class switches(ILjava/lang/String;)I": (1000, 800, 200),
        "KnownCalls.class neverReturns()V": (1000, 0, 1000),
        "KnownCalls.class startsWithLoop(I)V": (1000, 1000, 0),
        "KnownCalls.class catchesItself(I)I": (1000, 1000, 0),
        "KnownCalls.class recursive(I)I": (1001, 1001, 0),
        "KnownCalls.class main([Ljava/lang/String;)V": (1, 0, 0),
        "KnownCalls$Base.class <init>(I)V": (2000, 1750, 250),
        # The constructor is not entered where super() throws.
        "KnownCalls$Derived.class <init>(I)V": (1750, 1500, 250),
        "KnownCalls$Derived.class <init>()V": (1000, 1000, 0),
        "KnownCalls$Derived.class call()Ljava/lang/Integer;": (1000, 1000, 0),
        "KnownCalls$Derived.class call()Ljava/lang/Object;": (1000, 1000, 0),
        "KnownCalls$Failure.class <init>(Ljava/lang/String;)V": (3200, 3200, 0),
    }

    def test_every_call_is_entered_once_and_ends_in_one_exit_or_exception(self):
        for home in homes():
            with self.subTest(jdks.name(home)):
                jvm = ProbedJvm(home, "known_calls")
                classes = fresh_folder(jvm.folder, "known")
                for file in glob.glob(os.path.join(jvm.programs, "KnownCalls*.class")):
                    shutil.copy(file, classes)
                jvm.probe(classes)
                plain = values(jvm.java("KnownCalls"))
                output = jvm.java("KnownCalls", jvm.methods, class_path=[jvm.probed])
                found = counts(output)
                self.assertEqual("0", values(output)["broken"])
                self.assertEqual(plain["sink"], values(output)["sink"])
                self.assertEqual(self.EXPECTED, {name: found.get(name) for name in self.EXPECTED})
                lambdas = [count for name, count in found.items()
                           if "lambda$main" in name and name.endswith("(I)I")]
                self.assertEqual([(1000, 500, 500)], lambdas)


class JdkTest(unittest.TestCase):
    """Probes every method of the classes of JDKs: of all, or of those that match INCLUDES."""

    NAME = "jdk"
    INCLUDES = ()
    OPTIONS = ()

    @staticmethod
    def homes():
        return homes()

    def test_verifier_accepts_every_class_and_the_compiler_works_as_before(self):
        for home in self.homes():
            with self.subTest(jdks.name(home)):
                jvm = ProbedJvm(home, self.NAME, self.OPTIONS)
                probed = jvm.probe(jvm.modules(*self.INCLUDES))
                self.assertEqual("0", probed["unreadable"])
                self.check_verifier(jvm, probed)
                self.check_compiler(jvm)
                shutil.rmtree(jvm.folder)

    def check_verifier(self, jvm, probed):
        output = jvm.java("LinkClasses", "modules", jvm.probed, modules=jvm.probed)
        print(output, end="", flush=True)
        linked = values(output)
        self.assertEqual("0", linked["rejected"], output)
        self.assertEqual(probed["probed"], linked["linked"])
        self.assertEqual("0", linked["broken"])

    def check_compiler(self, jvm):
        before = fresh_folder(jvm.folder, "before")
        after = fresh_folder(jvm.folder, "after")
        jvm.java("CompileSources", "-", before, *SOURCES)
        output = jvm.java("CompileSources", jvm.methods, after, *SOURCES, modules=jvm.probed)
        self.assertEqual("0", values(output)["outcome"])
        self.assertEqual("0", values(output)["broken"])
        self.assertEqual(content(before), content(after))
        # The counts of the compiler are exact, since it runs in one thread.
        of_compiler = {name: count for name, count in counts(output).items()
                       if name.startswith("jdk.compiler/")}
        self.assertGreater(len(of_compiler), 1000)
        self.assertEqual({}, {name: (entries, exits, exceptions)
                              for name, (entries, exits, exceptions) in of_compiler.items()
                              if entries != exits + exceptions})


class JdkSampleTest(JdkTest):
    """Runs the tests on one JDK with short programs, for which the fast compiler is enough."""

    NAME = "jdk_sample"
    OPTIONS = ("-XX:TieredStopAtLevel=1",)
    INCLUDES = ("/java.base/java/util/[^/]*", "/jdk.compiler/com/sun/tools/javac/[^/]*/[^/]*")

    @staticmethod
    def homes():
        return homes()[-1:]


class LibrariesTest(unittest.TestCase):
    """Probes the libraries of libraries.xml, which old and new compilers have made."""

    TESTED = ("commons-collections4", "commons-codec")

    @classmethod
    def setUpClass(cls):
        cls.jars = os.path.join(WORK, "jars")
        run(["mvn", "-q", "-B", "-f", os.path.join(HERE, "libraries.xml"),
             "dependency:copy-dependencies", f"-DoutputDirectory={cls.jars}"])
        cls.jvm = ProbedJvm(homes()[-1], "libraries")
        cls.all_jars = sorted(glob.glob(f"{cls.jars}/*.jar"))
        cls.run_tests = cls.jvm.compile("run_tests", ["RunTests.java"], "-cp",
                                        ":".join(cls.all_jars))

    def unpacked(self, *jars):
        folder = fresh_folder(self.jvm.folder, "classes")
        shutil.rmtree(self.jvm.probed, ignore_errors=True)
        for jar in jars:
            run([self.jvm.program("jar"), "xf", jar], cwd=folder)
        # Removes versions of classes for other JDKs.
        shutil.rmtree(os.path.join(folder, "META-INF"), ignore_errors=True)
        return folder

    def test_verifier_accepts_every_class(self):
        for jar in self.all_jars:
            with self.subTest(os.path.basename(jar)):
                # Unpacks the jar, since classes of a signed jar cannot be replaced.
                unpacked = self.unpacked(jar)
                probed = self.jvm.probe(unpacked)
                self.assertEqual("0", probed["unreadable"])
                if probed["probed"] == "0":
                    continue
                output = self.jvm.java("LinkClasses", "libraries", self.jvm.probed, unpacked,
                                       *self.all_jars)
                print(f"{os.path.basename(jar)}: {output}", end="", flush=True)
                self.assertEqual("0", values(output)["rejected"], output)

    def test_own_tests_of_libraries_end_as_before(self):
        for library in self.TESTED:
            with self.subTest(library):
                jars = [jar for jar in self.all_jars if f"/{library}-" in jar]
                tests, = (jar for jar in jars if jar.endswith("-tests.jar"))
                self.jvm.probe(self.unpacked(*jars))
                plain = self.results(tests, [])
                probed = self.results(tests, [self.jvm.probed])
                print(f"{library}: {probed}", flush=True)
                self.assertGreater(int(probed["run"]), 100)
                self.assertEqual(plain, probed)

    def results(self, tests, before):
        output = self.jvm.java("RunTests", tests,
                               class_path=[*before, *self.all_jars, self.run_tests],
                               options=["-Duser.language=en"])
        return values(output)


if __name__ == "__main__":
    unittest.main()
