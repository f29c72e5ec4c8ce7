#!/usr/bin/env python3
"""Refuses prose that a native reader has to read twice, in the whole tree and in the last commit's
subject.

usage: check_prose.py SOURCE_DIR

CONTRIBUTING.md ("Plain English") has the reasons and what to write instead. The check reads the
files that git knows in SOURCE_DIR: comments of C++, Java, JavaScript, Python, shell and CMake, and
the pages of documentation. The rules:

  1. A comment does not begin with a genitive or a relative clause without a subject ("Of ...",
     "Whose ...", "What ..."): its subject is the thing declared.
  2. Neither comments nor pages use the words of LITERARY.
  3. The subject of the last commit is an imperative that says what the code does now: no "Say", "Let",
     "Tell" or "Give", no full stop, at most 100 characters.

A line that must stay as it is has a row in prose_exceptions.txt. A violation is one line,
"file:line: what. How to fix it."; any violation fails the check. The exit code is 77 (skipped) if
SOURCE_DIR is not in a git repository with a commit.
"""

import re
import subprocess
import sys
from pathlib import Path

COMMENTS = {".h": "//", ".cc": "//", ".def": "//", ".java": "//", ".py": "#", ".sh": "#",
            ".bash": "#", ".cmake": "#", ".js": "//", ".mjs": "//"}
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

OPENING = re.compile(r"^(?:" + "|".join(OPENINGS) + r")\b(?! is\b)")
WORDS = re.compile(r"\b(?:" + "|".join(LITERARY) + r")\b", re.IGNORECASE)


def git(root, *arguments):
    """Returns the output of a git command; None if it fails."""
    run = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=False)
    return run.stdout if run.returncode == 0 else None


def tracked_files(root):
    """Yields (path relative to `root`, text) of each file that git tracks."""
    for path in git(root, "ls-files", "-z").split("\0"):
        file = root / path
        if path and file.is_file() and not file.is_symlink():
            yield Path(path), file.read_text("utf-8", errors="replace")


def exceptions():
    """Returns (regular expression of a path, words of the line) for each row."""
    rows = []
    for line in Path(__file__).with_name("prose_exceptions.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            path, words, _reason = line.split("\t")
            rows.append((re.compile(path), words))
    return rows


def comment_mark(path, text):
    """Returns what a comment of this file begins with; None if its comments are not read."""
    if path.name == "CMakeLists.txt" or (not path.suffix and text.startswith("#!")):
        return "#"
    return COMMENTS.get(path.suffix)


def prose_of(path, text):
    """Yields (number of a line, its prose, whether a comment begins there)."""
    if path.suffix == ".md":
        for number, line in enumerate(text.splitlines(), 1):
            yield number, line, False
        return
    mark = comment_mark(path, text)
    if mark is None:
        return
    was_comment = False
    for number, line in enumerate(text.splitlines(), 1):
        code, _, comment = line.partition(mark)
        is_comment = not code.strip() and mark in line
        if is_comment:
            yield number, comment.strip(), not was_comment
        elif mark in line and code.count('"') % 2 == 0:
            yield number, comment.strip(), False
        was_comment = is_comment and comment.strip() != "" and not comment.startswith("!")


def violations_in(path, text, allowed):
    for number, prose, begins in prose_of(path, text):
        if any(rule.search(str(path)) and words in prose for rule, words in allowed):
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
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.exit("usage: check_prose.py SOURCE_DIR")
    root = Path(arguments[0])
    subject = git(root, "log", "-1", "--format=%s")
    if subject is None:
        print(f"skipped: {root} is in no git repository that has a commit")
        sys.exit(77)
    allowed = exceptions()
    found = [violation for path, text in tracked_files(root)
             for violation in violations_in(path, text, allowed)]
    found += violations_of_subject(subject.strip())
    for violation in found:
        print(violation)
    print(f"{len(found)} violations")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
