"""Shows properties of cmake/check_layering.py, each on a source tree of a few lines."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parents[2] / "cmake" / "check_layering.py"

# The modules of a tree that keeps every rule: top -> middle -> base, and a signal-safe pair.
MODULES = """\
sigsafe/ring:
sigsafe/sampler: sigsafe/ring
base:
middle: base
top: middle sigsafe/sampler
"""
SOUND = {
    "src/sigsafe/ring/ring.h": "#include <atomic>\n",
    "src/sigsafe/sampler/sampler.cc": '#include "profiler/api.h"\n#include "sigsafe/ring/ring.h"\n',
    "src/base/text.h": "#include <string>\n",
    "src/middle/middle.h": '#include "base/text.h"\n',
    "src/top/top.cc": '#include "base/text.h"\n#include "sigsafe/ring/ring.h"\n',
    "include/profiler/api.h": "#include <stdint.h>\n",
}


class CheckLayeringTest(unittest.TestCase):
    def check(self, changes, modules=MODULES, without=()):
        """Runs the check on the sound tree with `changes`; returns (exit code, output)."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            readmes = {f"src/{line.split(':')[0]}/README.md": "" for line in modules.splitlines()}
            for name, text in {**readmes, **SOUND, **changes}.items():
                if name not in without:
                    path = root / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text)
            (root / "modules.txt").write_text(modules)
            run = subprocess.run([sys.executable, CHECK, root / "modules.txt", root],
                                 capture_output=True, text=True, check=False)
            return run.returncode, run.stdout + run.stderr

    def assert_rejected(self, message, *args, **kwargs):
        code, output = self.check(*args, **kwargs)
        self.assertEqual(code, 1, output)
        self.assertIn(message, output)
        self.assertIn(" 1 violations", output)

    def test_a_sound_tree_passes(self):
        code, output = self.check({})
        self.assertEqual(code, 0, output)

    def test_an_include_that_deps_do_not_reach_is_rejected(self):
        self.assert_rejected("src/base/text.cc:2: base does not depend on middle",
                             {"src/base/text.cc": '\n#include "middle/middle.h"\n'})

    def test_the_longest_folder_decides_the_module(self):
        self.assert_rejected("src/base/inner/x.h:1: base/inner does not depend on base",
                             {"src/base/inner/x.h": '#include "base/text.h"\n'},
                             modules=MODULES + "base/inner:\n")

    def test_sigsafe_may_not_reach_outside_even_when_deps_say_so(self):
        self.assert_rejected(
            "src/sigsafe/ring/ring.cc:1: a handler may run sigsafe/ring, but not base",
            {"src/sigsafe/ring/ring.cc": '#include "base/text.h"\n'},
            modules=MODULES.replace("sigsafe/ring:\n", "sigsafe/ring: base\n"))

    def test_sigsafe_may_not_use_headers_that_allocate_block_or_do_io(self):
        for header in ("vector", "mutex", "cstdio", "jvmti.h"):
            self.assert_rejected(f"src/sigsafe/ring/ring.cc:1: <{header}>",
                                 {"src/sigsafe/ring/ring.cc": f"#include <{header}>\n"})

    def test_an_include_that_is_not_rooted_at_src_is_rejected(self):
        self.assert_rejected('src/base/text.cc:1: "text.h" is neither',
                             {"src/base/text.cc": '#include "text.h"\n'})

    def test_angle_brackets_do_not_hide_an_include_of_ours(self):
        self.assert_rejected("src/base/text.cc:1: <middle/middle.h> is a file of ours",
                             {"src/base/text.cc": "#include <middle/middle.h>\n"})

    def test_a_file_outside_every_module_is_rejected(self):
        self.assert_rejected("src/stray/stray.cc:1: belongs to no module",
                             {"src/stray/stray.cc": ""})

    def test_a_module_without_readme_is_rejected(self):
        self.assert_rejected("src/base/README.md:1: missing", {}, without=("src/base/README.md",))

    def test_a_public_header_may_not_include_src(self):
        self.assert_rejected("include/profiler/api.h:1:",
                             {"include/profiler/api.h": '#include "base/text.h"\n'})


if __name__ == "__main__":
    unittest.main()
