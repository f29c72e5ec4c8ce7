"""Tests the recipe for Spring Boot on a program that serves HTTP."""

import os
import shutil
import subprocess
import unittest
import urllib.request

from recipe import (ROOT, TMP, RecipeTest, block, environment, fetch, need, project, put_in, shell,
                    write)

SPRING = "Spring Boot"
REQUESTS = 5
INSTALL_JAR = "JUnit 5, a span for each test"


class SpringRecipeTest(RecipeTest):
    def build(self):
        folder = project("spring")
        sources = os.path.join(folder, "src/main/java/shop")
        put_in(os.path.join(folder, "pom.xml"), block(SPRING, "xml"), "<!-- recipe -->")
        put_in(os.path.join(sources, "Shop.java"), "JprofContextStorage.install();", "// recipe")
        storage = "JprofContextStorage.java"
        with open(os.path.join(ROOT, "src/java/opentelemetry", storage), encoding="utf-8") as source:
            write(os.path.join(sources, storage), "package shop;\n" + source.read())
        fetch(block(INSTALL_JAR, "sh"), folder, "Maven's plugins")
        fetch("mvn -B package", folder, "Spring Boot")
        return folder

    def test_each_request_is_a_span_with_its_cpu_time(self):
        folder = self.build()
        program = subprocess.Popen(["sh", "-e", "-c", "exec env " + block(SPRING, "sh")], cwd=folder,
                                   env=environment(), text=True, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        try:
            port = next(line for line in program.stdout if line.startswith("port="))[5:].strip()
            for _ in range(REQUESTS):
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/order", timeout=60) as answer:
                    self.assertEqual(answer.read(), b"done")
            program.communicate(timeout=60)
            self.assertEqual(program.returncode, 0)
        finally:
            program.kill()
        busy = [row for row in self.view(os.path.join(TMP, "app.jfr"), "spans") if row["cpu"] >= 10]
        self.assertEqual(len(busy), REQUESTS)
        for row in busy:
            self.assertEqual(row["spanId"], row["localRootSpanId"])
            self.assertGreaterEqual(row["duration"], 200e6)


if __name__ == "__main__":
    need("mvn")
    unittest.main()
