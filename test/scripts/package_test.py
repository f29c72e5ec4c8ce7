"""Tests which files `cmake --install` installs, and that the installed program works."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
import zipfile

BUILD = os.environ["JPROF_BUILD"]
LARGEST = {"lib/libprofiler.so": 2_200_000, "bin/jprof": 3_000_000}
C_PROGRAM = """
#include <profiler/asgst.h>
#include <profiler/profiler.h>
#include <stdio.h>
int main(void) {
  return puts(profiler_version()) < 0 || ASGST_Capabilities() != 0 ||
         profiler_asgst_version() != PROFILER_ASGST_VERSION;
}
"""


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def sections(path):
    # A debug file names an interpreter that it does not contain, so that readelf warns about it.
    return re.findall(r"\] (\.\S+)", run("readelf", "--wide", "--sections", path,
                                         stderr=subprocess.DEVNULL))


class PackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.prefix = os.path.join(cls.folder.name, "prefix")
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def path(self, name):
        return os.path.join(self.prefix, name)

    def test_everything_is_in_its_place(self):
        for name in ["bin/jprof", "lib/libprofiler.so", "lib/jprof.jar",
                     "lib/jprof-opentelemetry.jar", "lib/pkgconfig/profiler.pc",
                     "include/profiler/profiler.h", "include/profiler/asgst.h",
                     "include/profiler/asgst_init.h",
                     "include/profiler/async_get_stack_trace.h", "share/man/man1/jprof.1",
                     "share/bash-completion/completions/jprof",
                     "share/zsh/site-functions/_jprof",
                     "share/fish/vendor_completions.d/jprof.fish", "share/doc/jprof/LICENSE",
                     "share/doc/jprof/THIRD-PARTY"]:
            self.assertGreater(os.path.getsize(self.path(name)), 0, name)

    def test_each_link_of_the_pages_leads_to_an_installed_file(self):
        pages, links = 0, 0
        for folder, _, names in os.walk(self.path("share/doc/jprof")):
            for name in names:
                if not name.endswith(".md"):
                    continue
                pages += 1
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    text = re.sub(r"```.*?```|`[^`\n]*`", "", file.read(), flags=re.S)
                for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
                    if not target.startswith("http"):
                        links += 1
                        self.assertTrue(os.path.exists(os.path.join(folder, target)),
                                        f"{name}: {target}")
        self.assertGreater(pages, 60)
        self.assertGreater(links, 200)

    def test_pages_are_installed_whole(self):
        def words(path):
            with open(path, encoding="utf-8") as file:
                return re.sub(r"\]\([^)]*\)|[][]", "", file.read())
        root = os.path.join(os.path.dirname(__file__), "..", "..")
        for page in ("README.md", "docs/recipes.md", "docs/adr/0001-thread-local-model.md",
                     "docs/formats/jfr.md"):
            self.assertEqual(words(self.path(f"share/doc/jprof/{page}")),
                             words(os.path.join(root, page)), page)

    def test_programs_are_small_and_have_their_symbols_by_build_id(self):
        for name, largest in LARGEST.items():
            path = self.path(name)
            self.assertLessEqual(os.path.getsize(path), largest, name)
            self.assertNotIn(".symtab", sections(path))
            self.assertNotIn(".debug_info", sections(path))
            build_id = re.search(r"Build ID: ([0-9a-f]+)", run("readelf", "--notes", path)).group(1)
            debug = self.path(f"lib/debug/.build-id/{build_id[:2]}/{build_id[2:]}.debug")
            self.assertIn(".debug_info", sections(debug))
            self.assertIn(".symtab", sections(debug))

    def test_the_jar_is_for_java_8_with_parts_for_9_and_has_fixed_times(self):
        with zipfile.ZipFile(self.path("lib/jprof.jar")) as jar:
            entries = jar.infolist()
            self.assertIn(b"Multi-Release: true", jar.read("META-INF/MANIFEST.MF"))
            names = [entry.filename for entry in entries]
            self.assertIn("META-INF/versions/9/module-info.class", names)
            self.assertIn("jprof/ThreadContext.class", names)
            for entry in entries:
                self.assertEqual(entry.date_time, (2020, 1, 1, 0, 0, 0), entry.filename)
                if entry.filename.endswith(".class"):
                    java = 9 if "/versions/9/" in entry.filename else 8
                    version = int.from_bytes(jar.read(entry)[6:8], "big")
                    self.assertEqual(version, 44 + java, entry.filename)

    def test_the_extension_of_the_javaagent_has_what_it_needs_and_no_more(self):
        with zipfile.ZipFile(self.path("lib/jprof-opentelemetry.jar")) as jar:
            names = [name for name in jar.namelist() if not name.endswith("/")]
        self.assertEqual(sorted(names), [
            "JprofContextStorage$MirroredScope.class", "JprofContextStorage$Root.class",
            "JprofContextStorage.class", "JprofExtension.class", "META-INF/MANIFEST.MF",
            "META-INF/services/io.opentelemetry.sdk.autoconfigure.spi."
            "AutoConfigurationCustomizerProvider", "jprof/BufferWriter.class",
            "jprof/RecordWriter.class", "jprof/ThreadContext$Scope.class",
            "jprof/ThreadContext.class"])

    def test_a_program_controls_the_installed_library_by_the_installed_jar(self):
        source = os.path.join(self.folder.name, "Control.java")
        recording = self.path("control.jfr")
        with open(source, "w", encoding="utf-8") as file:
            file.write("class Control { public static void main(String[] a) throws Exception {"
                       "jprof.Profiler p = jprof.Profiler.load();"
                       "System.out.println(p.start(\"cpu=1ms,file=\" + a[0]));"
                       "for (long end = System.nanoTime() + 500_000_000L; System.nanoTime() < end;) {}"
                       "System.out.println(p.stop()); } }")
        said = run("java", "-cp", self.path("lib/jprof.jar"), source, recording)
        self.assertRegex(said, r"recording cpu every 1 ms.*\n.*stopped: \d+ samples")
        # Expects it among all stacks: on a busy machine the hottest methods are the compiler's.
        stacks = run(self.path("bin/jprof"), "convert", recording, "-", "--format", "collapsed")
        self.assertIn("Control.main", stacks)

    def test_a_c_program_finds_header_and_library(self):
        prefix = self.prefix
        flags = [f"-I{prefix}/include", f"-L{prefix}/lib", "-lprofiler"]
        if shutil.which("pkg-config"):
            flags = run("pkg-config", "--cflags", "--libs", "profiler", env=dict(
                os.environ, PKG_CONFIG_PATH=f"{prefix}/lib/pkgconfig")).split()
        program = os.path.join(self.folder.name, "program")
        subprocess.run(["g++", "-x", "c", "-", "-x", "none", "-o", program, *flags], check=True,
                       text=True, input=C_PROGRAM)
        version = run(program, env=dict(os.environ, LD_LIBRARY_PATH=f"{prefix}/lib"))
        self.assertEqual(version, run(self.path("bin/jprof"), "version").split()[-1] + "\n")

    def test_each_header_compiles_alone_and_the_two_of_the_stack_walking_api_not_together(self):
        one, other = "profiler/asgst.h", "profiler/async_get_stack_trace.h"
        for headers in [(one,), (other,), ("profiler/asgst_init.h",), (one, other), (other, one)]:
            source = "".join(f"#include <{header}>\n" for header in headers)
            for language in ["c", "c++"]:
                compiled = subprocess.run(
                    ["g++", "-x", language, "-", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic",
                     "-Wstrict-prototypes" if language == "c" else "-Wshadow", "-Werror",
                     f"-I{self.prefix}/include"], text=True, input=source, capture_output=True)
                self.assertEqual(compiled.returncode == 0, len(headers) == 1, compiled.stderr)
                if len(headers) == 2:
                    self.assertIn("include only one", compiled.stderr)

    def test_the_installed_program_records_with_the_installed_library(self):
        classes = os.environ["JPROF_WORKLOADS"]
        java = subprocess.Popen(["java", "-cp", classes, "Server", "1", "1"], text=True,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            self.assertTrue(java.stdout.readline())  # the program runs
            page = self.path("profile.html")
            run(self.path("bin/jprof"), "record", "-d", "1s", "-o", page, str(java.pid))
            with open(f"/proc/{java.pid}/maps", encoding="utf-8") as maps:
                self.assertIn(self.path("lib/libprofiler.so"), maps.read())
            with open(page, encoding="utf-8") as text:
                self.assertIn("Server", text.read())
        finally:
            java.kill()
            java.communicate()


if __name__ == "__main__":
    unittest.main()
