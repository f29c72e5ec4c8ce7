"""Shows properties of cmake/check_prose.py, each on a repository of its own."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parents[2] / "cmake" / "check_prose.py"
IDENTITY = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"]


class CheckProseTest(unittest.TestCase):
    def check(self, files, subject="Count samples by thread"):
        """Runs the check on a repository with these files; returns (exit code, output)."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)

            def git(*words):
                subprocess.run(["git", *IDENTITY, "-C", root, *words], check=True,
                               capture_output=True)

            git("init", "-q")
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            git("add", "-A")
            git("commit", "-q", "-m", subject)
            git("commit", "-q", "--allow-empty", "-m", subject)
            return self.run_check(root)

    def run_check(self, *arguments):
        run = subprocess.run([sys.executable, CHECK, *arguments], capture_output=True, text=True,
                             check=False)
        return run.returncode, run.stdout + run.stderr

    def assert_rejected(self, message, *args, **kwargs):
        code, output = self.check(*args, **kwargs)
        self.assertEqual(code, 1, output)
        self.assertIn(message, output)
        self.assertIn("1 violations", output)

    def assert_passes(self, *args, **kwargs):
        code, output = self.check(*args, **kwargs)
        self.assertEqual(code, 0, output)

    def test_a_comment_with_a_subject_passes(self):
        self.assert_passes({"src/a.h": "// Returns the longest wait of each thread.\nint F();\n"})

    def test_a_comment_that_begins_with_a_genitive_is_refused(self):
        self.assert_rejected("src/a.h:2: the comment begins with 'Of'",
                             {"src/a.h": "int F();\n// Of each thread.\nint G();\n"})

    def test_a_clause_without_a_subject_is_refused(self):
        for opening in ("What the threads wait for.", "Those that wait.", "Whose lock it is."):
            with self.subTest(opening):
                self.assert_rejected(f"the comment begins with '{opening.split()[0]}'",
                                     {"src/a.cc": f"// {opening}\n"})

    def test_the_second_line_of_a_comment_may_begin_with_any_word(self):
        self.assert_passes({"src/a.h": "// Returns the sum of the waits\n// of all threads. What\n"})

    def test_a_literary_word_is_refused_in_comments_and_pages(self):
        self.assert_rejected("a.py:1: 'for ever'", {"a.py": "# Waits for ever.\n"})
        self.assert_rejected("docs/a.md:1: 'nobody'", {"docs/a.md": "A file that nobody reads.\n"})

    def test_words_of_the_code_itself_are_not_read(self):
        self.assert_passes({"src/a.cc": 'const char* text = "Of nobody // for ever";\n'})

    def test_files_that_the_last_commit_leaves_alone_are_read(self):
        # The last commit of the repository is empty.
        many = {f"src/{i}.h": "// Returns i.\n" for i in range(200)}
        self.assert_rejected("src/150.h:1", many | {"src/150.h": "// Of each thread.\n"})

    def test_files_that_git_does_not_track_are_not_read(self):
        self.assert_passes({".gitignore": "build/\n", "build/a.h": "// Of each thread.\n"})

    def test_scripts_are_known_by_their_first_line(self):
        self.assert_rejected("scripts/a:2: the comment begins with 'What'",
                             {"scripts/a": "#!/bin/sh\n# What it starts.\n"})
        self.assert_passes({"LICENSE": "# Of each thread.\n"})

    def test_a_line_with_an_exception_passes(self):
        self.assert_passes({"docs/a.md": "Recordings are read as nobody.\n"})

    def test_a_subject_that_breaks_a_rule_is_refused(self):
        self.assert_rejected("the verb 'Let'", {"a": ""}, subject="Let views name locks")
        self.assert_rejected("a full stop", {"a": ""}, subject="Name locks in views.")
        self.assert_rejected("characters", {"a": ""}, subject="Name " + "locks " * 20)

    def test_a_folder_in_no_repository_is_skipped(self):
        with tempfile.TemporaryDirectory() as folder:
            code, output = self.run_check(folder)
            self.assertEqual(code, 77, output)

    def test_an_unknown_option_is_refused(self):
        code, output = self.run_check(".", "--some")
        self.assertEqual(code, 1, output)
        self.assertIn("usage: check_prose.py", output)


if __name__ == "__main__":
    unittest.main()
