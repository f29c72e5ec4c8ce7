#!/usr/bin/env python3
"""Proves that the #includes of src/ and include/ follow the module graph.

usage: check_layering.py MODULES_TXT SOURCE_DIR

MODULES_TXT has a line "dir: dep dep ..." for each module, which CMake has written from the DEPS in
src/CMakeLists.txt. SOURCE_DIR contains src/ and include/. The rules:

  1. Every source file below src/ belongs to a module (the deepest module folder that it is in), and
     every module folder has a README.md.
  2. A quoted #include is a path from src/ or include/ to a file that exists there, or that exists
     for each processor: "x.h" is x_x64.h or x_aarch64.h (ProfilerModule.cmake).
  3. Such an #include names a file of the same module, or of one that DEPS reaches, directly or
     through other modules.
  4. src/sigsafe/ includes nothing of src/ outside src/sigsafe/, and no header whose functions
     allocate, lock, do I/O or belong to the JVM.
  5. include/ contains the headers for users. It includes nothing of src/.

A violation is one line, "file:line: what. How to fix it."; any violation fails the check.
"""

import re
import sys
from pathlib import Path

SOURCE_SUFFIXES = {".h", ".cc", ".def", ".inc"}
SIGNAL_SAFE = "sigsafe"
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')

PROCESSORS = ("x64", "aarch64")

BANNED_IN_SIGNAL_SAFE = {
    "allocates": "deque forward_list functional list map memory queue regex set stack string "
                 "sstream unordered_map unordered_set vector",
    "blocks": "condition_variable future mutex semaphore shared_mutex thread pthread.h",
    "does I/O": "cstdio filesystem fstream iostream istream ostream stdio.h syslog.h",
    "belongs to the JVM": "jni.h jvmti.h",
}
BANNED = {header: why for why, headers in BANNED_IN_SIGNAL_SAFE.items()
          for header in headers.split()}


def read_modules(path):
    """Returns {module folder: set of folders that its #includes may reach, with itself}."""
    deps = {}
    for line in path.read_text().splitlines():
        module, _, names = line.partition(":")
        deps[module.strip()] = names.split()
    return {module: reachable(module, deps) for module in deps}


def reachable(start, deps):
    seen, pending = set(), [start]
    while pending:
        module = pending.pop()
        if module not in seen:
            seen.add(module)
            pending += deps.get(module, [])
    return seen


def module_of(path, modules):
    """Returns the deepest module folder that `path`, relative to src/, is in; None if there is
    none."""
    folders = [str(parent) for parent in path.parents]  # the nearest comes first
    return next((folder for folder in folders if folder in modules), None)


def source_files(root):
    return sorted(path for path in root.rglob("*")
                  if path.is_file() and path.suffix in SOURCE_SUFFIXES)


def includes(path):
    """Yields (line number, name, True if it is quoted) of each #include."""
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1) or match.group(2), match.group(1) is not None


class Checker:
    def __init__(self, modules, root):
        self.modules = modules
        self.root = root
        self.violations = []

    def report(self, path, line, text):
        self.violations.append(f"{path.relative_to(self.root)}:{line}: {text}")

    def check_readmes(self):
        for module in self.modules:
            folder = self.root / "src" / module
            if not (folder / "README.md").is_file():
                self.report(folder / "README.md", 1,
                            "missing. Say in at most 30 lines what the module is for, where to "
                            "enter it and who may call it.")

    def check_sources(self):
        src = self.root / "src"
        for path in source_files(src):
            own = module_of(path.relative_to(src), self.modules)
            if own is None:
                self.report(path, 1, "belongs to no module. Name its folder with profiler_module() "
                                     "in src/CMakeLists.txt.")
                continue
            for line, name, quoted in includes(path):
                if own.split("/")[0] == SIGNAL_SAFE and name in BANNED:
                    self.report(path, line, f"<{name}> {BANNED[name]}: no handler may use it. Use "
                                            "what src/sigsafe/ offers, or move the file out of it.")
                if quoted:
                    self.check_include(path, line, name, own)
                elif (src / name).is_file():
                    self.report(path, line, f'<{name}> is a file of ours. Write "{name}".')

    def check_include(self, path, line, name, own):
        if (self.root / "include" / name).is_file():
            return
        if not self.is_source(name):
            self.report(path, line, f'"{name}" is neither below src/ nor below include/. Write the '
                                    "path from src/, or <...> for a header of the system.")
            return
        target = module_of(Path(name), self.modules)
        if target is None:
            return  # check_sources reports the file
        if own.split("/")[0] == SIGNAL_SAFE and target.split("/")[0] != SIGNAL_SAFE:
            self.report(path, line, f"a handler may run {own}, but not {target}. Pass plain data "
                                    "in, or move what is needed below src/sigsafe/.")
        elif target not in self.modules[own]:
            self.report(path, line, f"{own} does not depend on {target}. Add {target} to the DEPS "
                                    f"of {own} in src/CMakeLists.txt if the layers allow it.")

    def is_source(self, name):
        path = self.root / "src" / name
        return path.is_file() or all(
            path.with_name(f"{path.stem}_{processor}{path.suffix}").is_file()
            for processor in PROCESSORS)

    def check_public_headers(self):
        for path in source_files(self.root / "include"):
            for line, name, _ in includes(path):
                if (self.root / "src" / name).is_file():
                    self.report(path, line, f'"{name}" does not ship with the public headers. '
                                            "Declare what is needed here.")


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    checker = Checker(read_modules(Path(arguments[0])), Path(arguments[1]).resolve())
    checker.check_readmes()
    checker.check_sources()
    checker.check_public_headers()
    for violation in checker.violations:
        print(violation)
    print(f"layering: {len(checker.modules)} modules, {len(checker.violations)} violations")
    sys.exit(1 if checker.violations else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
