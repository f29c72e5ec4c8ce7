#!/usr/bin/env python3
"""Refuses prose that is read twice, in the lines that the last commit or the working tree touches.

usage: check_prose.py SOURCE_DIR [--all]

  --all   every line of the tree, not only the touched ones

CONTRIBUTING.md ("Plain English") has the reasons and what to write instead. The check reads comments of
C++, Java, Python, shell and CMake, the pages of documentation, and the subject of the last commit:

  1. A comment does not begin with a genitive or a relative clause without a subject ("Of ...",
     "Whose ...", "What ..."): its subject is the thing declared.
  2. Neither comments nor pages use the words of LITERARY.
  3. The subject of a commit is an imperative that says what the code does now: no "Say", "Let", "Tell"
     or "Give", no full stop, at most 100 characters.

A commit that changes more than MOST_FILES files moves or renames things: its lines are not new prose, and
are not read. A line that must stay as it is has an entry in prose_exceptions.txt. A violation is one line,
"file:line: what. How to fix it."; any violation fails the check. Exit code 77, where there is no
history to compare with: the check is skipped.
"""

import re
import subprocess
import sys
from pathlib import Path

COMMENTS = {".h": "//", ".cc": "//", ".def": "//", ".java": "//", ".py": "#", ".sh": "#",
            ".cmake": "#", ".txt": "#"}
OPENINGS = ("Of", "That", "Those", "Whose", "What", "So long", "Who", "Whoever", "By chance", "In front")
LITERARY = {
    "for ever": "forever",
    "so long as": "while",
    "by chance": "at random, or sampled",
    "somebody": "the subject: another program, the user, the caller",
    "nobody": "no thread, no reader, no caller",
    "whoever": "the subject: a caller that",
    "is too much": "is unexpected",
    "beside these": "in addition",
}
WEAK_VERBS = ("Say", "Let", "Tell", "Give")
MOST_SUBJECT = 100
MOST_FILES = 100

OPENING = re.compile(r"^(?:" + "|".join(OPENINGS) + r")\b(?! is\b)")
WORDS = re.compile(r"\b(?:" + "|".join(LITERARY) + r")\b", re.IGNORECASE)
HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")


class Tree:
    def __init__(self, root):
        self.root = Path(root)

    def git(self, *arguments):
        run = subprocess.run(["git", "-C", self.root, *arguments], capture_output=True, text=True,
                             check=False)
        return run.stdout if run.returncode == 0 else None

    def has_history(self):
        return self.git("rev-parse", "--verify", "--quiet", "HEAD~1") is not None

    def touched(self):
        """{path: numbers of lines that are new since the commit before the last}"""
        lines, numbers = {}, set()
        for line in (self.git("diff", "-U0", "-M", "HEAD~1") or "").splitlines():
            if line.startswith("+++ "):
                numbers = lines.setdefault(line[6:], set())
            elif hunk := HUNK.match(line):
                first, count = int(hunk[1]), int(hunk[2] or 1)
                numbers.update(range(first, first + count))
        return lines

    def all(self):
        return {path: None for path in (self.git("ls-files") or "").splitlines()}


def exceptions():
    """(regular expression of a path, text of the line) of each row"""
    rows = []
    for line in Path(__file__).with_name("prose_exceptions.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            path, text, _reason = line.split("\t")
            rows.append((re.compile(path), text))
    return rows


def prose_of(path, text):
    """Yields (number of a line, its prose, whether a comment begins there)."""
    if path.suffix == ".md":
        for number, line in enumerate(text.splitlines(), 1):
            yield number, line, False
        return
    mark = COMMENTS.get(path.suffix)
    if mark is None or (path.suffix == ".txt" and path.name != "CMakeLists.txt"):
        return
    was_comment = False
    for number, line in enumerate(text.splitlines(), 1):
        code, _, comment = line.partition(mark)
        is_comment = not code.strip() and mark in line
        if is_comment:
            yield number, comment.strip(), not was_comment
        elif mark in line and code.count('"') % 2 == 0:
            yield number, comment.strip(), False
        was_comment = is_comment and comment.strip() != ""


def violations_in(path, text, numbers, allowed):
    for number, prose, begins in prose_of(Path(path), text):
        if numbers is not None and number not in numbers:
            continue
        if any(rule.search(path) and words in prose for rule, words in allowed):
            continue
        if begins and (opening := OPENING.match(prose)):
            yield (f"{path}:{number}: the comment begins with '{opening[0]}'. Begin with a verb whose "
                   f"subject is the thing declared, or with its noun.")
        if word := WORDS.search(prose):
            yield f"{path}:{number}: '{word[0]}'. Write {LITERARY[word[0].lower()]}."


def violations_of_subject(subject):
    words = subject.split()
    if not words:
        return
    if words[0] in WEAK_VERBS:
        yield f"commit '{subject}': the verb '{words[0]}'. Name what the code does now."
    if subject.endswith("."):
        yield f"commit '{subject}': a full stop at the end. Leave it out."
    if len(subject) > MOST_SUBJECT:
        yield f"commit '{subject}': {len(subject)} characters. Keep {MOST_SUBJECT}."


def main(arguments):
    if not arguments or arguments[0].startswith("-") or arguments[1:] not in ([], ["--all"]):
        sys.exit("usage: check_prose.py SOURCE_DIR [--all]")
    tree = Tree(arguments[0])
    if not tree.has_history():
        print("skipped: no history of git to compare with")
        sys.exit(77)
    allowed = exceptions()
    found = []
    files = tree.all() if arguments[1:] else tree.touched()
    if not arguments[1:] and len(files) > MOST_FILES:
        print(f"skipped: {len(files)} files are changed, which is a move")
        sys.exit(77)
    for path, numbers in files.items():
        file = tree.root / path
        if file.is_file() and not file.is_symlink() and file.suffix in {*COMMENTS, ".md"}:
            text = file.read_text("utf-8", errors="replace")
            found += violations_in(path, text, numbers, allowed)
    found += violations_of_subject((tree.git("log", "-1", "--format=%s") or "").strip())
    for violation in found:
        print(violation)
    print(f"{len(found)} violations")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
