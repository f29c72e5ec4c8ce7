"""Tests that the table of shards is complete, has no duplicates, and is in CONTRIBUTING.md."""

import collections
import json
import os
import re
import subprocess
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ["JPROF_BUILD"]


def stages():
    """Returns [(tier, shard, function of scripts/test, [argument])]."""
    with open(os.path.join(ROOT, "test", "shards.txt"), encoding="utf-8") as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return [(tier, shard, function, arguments) for tier, shard, function, *arguments in lines]


def tests_of_tiers():
    """Returns {tier: [name]} of the tests that the build declares."""
    listed = subprocess.run(["ctest", "--show-only=json-v1"], cwd=BUILD, check=True,
                            stdout=subprocess.PIPE).stdout
    names = collections.defaultdict(list)
    for test in json.loads(listed)["tests"]:
        labels = next((each["value"] for each in test.get("properties", [])
                       if each["name"] == "LABELS"), [])
        for tier in {"long", "clients"}.intersection(labels):
            names[tier].append(test["name"])
    return names


class ShardsTest(unittest.TestCase):
    def test_every_test_of_a_tier_is_in_exactly_one_shard(self):
        for tier, names in tests_of_tiers().items():
            for name in names:
                shards = [shard for of, shard, function, prefixes in stages()
                          if of == tier and function == "tests"
                          and re.match("|".join(prefixes), name)]
                self.assertEqual(len(shards), 1, f"{name} ({tier}) is in the shards {shards}")

    def test_every_prefix_has_a_test(self):
        declared = tests_of_tiers()
        for tier, shard, function, prefixes in stages():
            for prefix in prefixes if function == "tests" else []:
                self.assertTrue(any(re.match(prefix, name) for name in declared[tier]),
                                f"{shard}: no test of {tier} begins with {prefix}")

    def test_a_shard_has_one_run_of_ctest_per_build(self):
        # The results of two runs of ctest in the same build would replace each other.
        runs = collections.Counter((tier, shard, function, *arguments[:function == "sanitized"])
                                   for tier, shard, function, arguments in stages()
                                   if function in ("tests", "sanitized"))
        self.assertEqual([run for run, count in runs.items() if count > 1], [])

    def test_contributing_names_every_shard_in_its_order(self):
        with open(os.path.join(ROOT, "CONTRIBUTING.md"), encoding="utf-8") as file:
            named = re.findall(r"^\| `--(\w+) ([\w-]+)` \|", file.read(), re.M)
        self.assertEqual(named, list(dict.fromkeys(stage[:2] for stage in stages())))


if __name__ == "__main__":
    unittest.main()
