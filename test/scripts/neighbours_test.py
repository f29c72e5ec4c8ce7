"""Tests, without a JVM, that the combinations of neighbours are complete, allowed and few."""

import itertools
import os
import tempfile
import unittest
import unittest.mock

from benchlib import paths
from strangerlib import covering, neighbour_page, neighbours, page, table, trials

FACTORS = covering.Factors({"size": ["s", "m", "l"], "colour": ["red", "blue"],
                            "shape": ["disc", "cube", "cone"], "edge": ["hard", "soft"]},
                           [("s", "red"), ("disc", "hard"), ("l", "disc"), ("blue", "cone")])


class CoveringTest(unittest.TestCase):
    def assert_covers(self, factors):
        rows = covering.table(factors)
        found = set().union(*map(covering.pairs_of, rows))
        self.assertEqual({frozenset(pair) for pair in factors.pairs()} - found, set())
        for row in rows:
            self.assertTrue(factors.is_allowed(row), row)
            self.assertEqual([len([value for value in values if value in row])
                              for values in factors.factors.values()], [1] * len(factors.factors))
        return rows

    def test_the_table_has_every_allowed_pair_and_no_forbidden_one(self):
        self.assert_covers(FACTORS)

    def test_a_pair_that_no_combination_can_have_is_left_out(self):
        # a1 excludes one of the two values of the last factor, and b1 excludes the other one.
        factors = covering.Factors({"a": ["a1", "a2"], "b": ["b1", "b2"], "c": ["c1", "c2"]},
                                   [("a1", "c1"), ("b1", "c2")])
        pairs = {frozenset(pair) for pair in factors.pairs()}
        self.assertNotIn({"a1", "b1"}, pairs)
        self.assertIn({"a1", "b2"}, pairs)
        self.assert_covers(factors)

    def test_the_table_is_small_and_always_the_same(self):
        factors = covering.Factors({str(name): [f"{name}{value}" for value in range(4)]
                                    for name in range(8)}, [])
        rows = self.assert_covers(factors)
        # The pairs of two factors alone need 16 rows; there are 65,536 combinations.
        self.assertLess(len(rows), 40)
        self.assertEqual(rows, covering.table(factors))

    def test_the_tables_of_neighbours_cover_them(self):
        for jdk in neighbour_page.JDKS:
            rows = self.assert_covers(neighbours.factors(jdk))
            self.assertEqual(rows, neighbours.combinations(jdk))
            # A shard of an hour has room for one minute per combination.
            self.assertLessEqual(len(rows), 45, jdk)

    def test_names_of_combinations_are_unique(self):
        for jdk in neighbour_page.JDKS:
            names = [(neighbours.program_of(each).name, neighbours.name_of(each))
                     for each in neighbours.combinations(jdk)]
            self.assertEqual(len(set(names)), len(names))


class NeighboursTest(unittest.TestCase):
    def test_rows_name_known_values_agents_and_programs(self):
        known = neighbours.known()
        for each in known.values():
            self.assertLessEqual(set(each.excluded), set(known), each.name)
            if each.factor == neighbours.PROGRAM:
                self.assertIn(each.name, table.programs())
            for word in each.options:
                if word.startswith("agent:"):
                    self.assertIn(word[len("agent:"):], table.agents())
        for factor, values in itertools.groupby(known.values(), key=lambda each: each.factor):
            defaults = sum(each.is_default for each in values)
            self.assertEqual(defaults, factor != neighbours.PROGRAM, factor)

    def test_options_are_on_their_side_of_the_profilers(self):
        values = {each.name: each for each in (
            neighbours.Neighbour("a", "first", (), (), ("X=1", "Y=/"), ("-one", "profiler", "-two")),
            neighbours.Neighbour("b", "second", (), (), (), ("-three", "without:live")))}
        with unittest.mock.patch.object(neighbours, "known", lambda: values):
            beside = neighbours.beside(("first", "second"), paths.Build("build"))
        self.assertEqual(beside, table.Beside("first+second", (("X", "1"), ("Y", "/")), ("-one",),
                                              ("-two", "-three"), ("live",)))

    def test_a_missing_library_is_named(self):
        values = {"it": neighbours.Neighbour("a", "it", (), (), ("LD_PRELOAD={lib}/none.so",), ())}
        with unittest.mock.patch.object(neighbours, "known", lambda: values):
            with self.assertRaisesRegex(table.Missing, "none.so: scripts/bootstrap --dev"):
                neighbours.beside(("it",), paths.Build("build"))


class BlameTest(unittest.TestCase):
    """A failure that also occurs without the profiler is not the profiler's fault."""

    def outcome(self, plain):
        settings = trials.Settings(paths.Build("build"), "lib", 10, 1, 3)
        program = table.Program("p", "Driver", 10, (25,), (), (), "Lib.work", (), "")

        def fails(outcome, *_):
            outcome.complain("jprof stop: no answer")
            raise neighbours.jvms.Failed("crashed")

        with unittest.mock.patch.multiple(trials, plain=plain, late=lambda *_: None), \
                unittest.mock.patch.multiple(neighbours, _recorded=fails,
                                             result_of=lambda *_: "1"):
            return neighbours.trial(program, 25, table.Beside("x"), settings)

    def test_a_crash_with_the_profiler_alone_is_a_fault(self):
        outcome = self.outcome(lambda *_: {})
        self.assertEqual((outcome.faults, outcome.notes), (["jprof stop: no answer; crashed"], []))

    def test_a_crash_without_it_too_is_a_note(self):
        def crashes(*_):
            raise neighbours.jvms.Failed("crashed as well")

        outcome = self.outcome(crashes)
        self.assertEqual((outcome.faults, outcome.notes),
                         ([], ["without the profiler too: crashed as well"]))


class NeighbourPageTest(unittest.TestCase):
    def test_rows_are_in_the_order_of_the_table_and_old_ones_are_dropped(self):
        settings = trials.Settings(paths.Build("build"), "lib", 10, 1, 3)
        first, second = neighbour_page.list_text().splitlines()[:2]
        with tempfile.TemporaryDirectory() as folder:
            kept = os.path.join(folder, "kept.tsv")
            with unittest.mock.patch.object(neighbour_page, "KEPT", kept):
                for line in (second, first, "h2 on 17 beside nothing+known"):
                    program, _, jdk, _, beside = line.split()
                    neighbour_page.keep(page.row_of(trials.Outcome(program, int(jdk), beside),
                                                    settings))
            rows = page.read(kept)
        self.assertEqual([f"{row['program']} on {row['jdk']} beside {row['beside']}"
                          for row in rows], [first, second])

    def test_the_page_has_the_kept_results(self):
        with open(page.PAGE, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(neighbour_page.updated(text), text,
                         "scripts/strangers --update-doc brings docs/production.md up to date")


if __name__ == "__main__":
    unittest.main()
