"""Tests the computations of scripts/bench and its arguments, without a JVM."""

import argparse
import contextlib
import io
import json
import os
import tempfile
import unittest
import unittest.mock

from benchlib import agents, command_line, figures, history, paths, processes, recordings, results
from benchlib import rounds, workloads
from benchlib.commands import account, compare, context, report, sampling, throughput, truth, turns


def parse(*words):
    return command_line.parser().parse_args(words)


class FiguresTest(unittest.TestCase):
    def test_no_values_have_no_spread(self):
        self.assertIsNone(figures.Spread.of([]))
        self.assertIsNone(figures.Spread.of([None, None]))

    def test_ratios_compare_values_of_the_same_round(self):
        spread = figures.ratios([10, 40, None, 5], [10, 20, 1, 0])
        self.assertEqual((spread.median, spread.least, spread.most, spread.count), (1.5, 1, 2, 2))

    def test_differences_keep_zeros(self):
        self.assertEqual(figures.differences([1, 0], [0, 1]).median, 0)

    def test_one_round_has_no_spread_to_print(self):
        self.assertEqual(figures.Spread.of([1.25]).text(1), "1.2")
        self.assertEqual(figures.Spread.of([1, 2, 3]).text(1), "2.0 (1.0 to 3.0)")

    def test_each_item_is_first_equally_often(self):
        firsts = [figures.rotated("abc", i)[0] for i in range(-3, 3)]
        self.assertEqual(sorted(firsts), list("aabbcc"))
        self.assertEqual(figures.alternating(1, 2, 0), (1, 2))
        self.assertEqual(figures.alternating(1, 2, 1), (2, 1))

    def test_the_bound_of_a_median_is_an_order_statistic(self):
        # At most 7 of 10 values lie below the median with a probability of 0.945, at most 8 with
        # 0.989.
        self.assertEqual(figures.upper_bound_of_median(range(10)), 8)
        self.assertEqual(figures.upper_bound_of_median([5]), 5)

    def test_a_deviation_of_one_noise_is_one(self):
        truth_shares = {"a": 0.5, "b": 0.5}
        off = figures.sampling_noise(0.5, 100)
        self.assertAlmostEqual(off, 0.05)
        self.assertAlmostEqual(
            figures.deviation_in_noise({"a": 0.5 + off, "b": 0.5 - off}, truth_shares, 100), 1)
        self.assertEqual(figures.deviation_in_noise(truth_shares, truth_shares, 100), 0)

    def test_a_part_without_samples_counts_as_zero(self):
        self.assertGreater(figures.deviation_in_noise({"a": 1.0}, {"a": 0.5, "b": 0.5}, 100), 9)


class AccountTest(unittest.TestCase):
    """Rounds in which each part adds a known time."""

    @staticmethod
    def runs(of_parts):
        def one(ratio, speed):
            return {"cpu.perOperation": ratio * speed, "cpu.seconds": 10 * ratio * speed,
                    "samples": 1000}
        names = [agents.NONE] + [name for name, _, _ in account.PARTS] + [agents.OURS]
        return {name: [one(ratio, speed) for speed in (1, 2)]
                for name, ratio in zip(names, [1.0] + of_parts)}

    def test_a_part_has_what_its_row_adds_to_the_row_above(self):
        rows = account.account(self.runs([1.0, 1.02, 1.02, 1.05, 1.06]))
        self.assertEqual([row[2].split(" %")[0] for row in rows],
                         ["+0.00", "+2.00", "+0.00", "+3.00", "+1.00"])

    def test_the_time_of_a_sample_is_that_of_the_same_round(self):
        rows = account.account(self.runs([1.0, 1.0, 1.0, 1.0, 1.1]))
        self.assertEqual(rows[-1][0], agents.OURS)
        # 1 s of 10 s and 2 s of 20 s, for 1000 samples each.
        self.assertTrue(rows[-1][3].startswith("+1500.0 us"), rows[-1])

    def test_another_profiler_adds_no_part(self):
        runs = self.runs([1, 1, 1, 1, 1.1])
        runs["async-profiler"] = runs["walk"]
        self.assertEqual(account.account(runs)[-1][2:], ["", ""])


class ContextCallsTest(unittest.TestCase):
    def test_a_figure_is_the_median_of_all_iterations_of_all_forks(self):
        nanos, allocated = context.read(json.dumps([{
            "primaryMetric": {"rawData": [[5, 1, 2], [4, 3, 9]]},
            "secondaryMetrics": {"gc.alloc.rate.norm": {"rawData": [[0, 0, 24], [0.001, 0, 0]]}}}]))
        self.assertEqual((nanos.median, nanos.least, nanos.most, nanos.count), (3.5, 1, 9, 6))
        self.assertEqual((allocated.median, allocated.most), (0, 24))

    def test_jdks_of_the_matrix_come_in_the_order_of_their_releases(self):
        arguments = argparse.Namespace(jdk=["/jdk"], matrix=["25", "8"])
        releases = [release for release, _ in context.java_of(arguments)]
        self.assertEqual(releases, [0, 8, 25])


class ArgumentsTest(unittest.TestCase):
    def refused(self, *words):
        with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit) as exit_:
            parse(*words)
        self.assertEqual(exit_.exception.code, 2)

    def test_every_subcommand_explains_itself(self):
        for name in command_line.COMMANDS:
            out = io.StringIO()
            with contextlib.redirect_stdout(out), self.assertRaises(SystemExit) as exit_:
                parse(name.replace("_", "-"), "--help")
            self.assertEqual(exit_.exception.code, 0)
            self.assertIn("usage:", out.getvalue())

    def test_unknown_names_are_refused(self):
        self.refused()
        self.refused("nonsense")
        self.refused("compare", "nonsense")
        self.refused("compare", "http", "--agents", "none,nonsense")
        self.refused("compare", "http", "--event", "alloc")
        self.refused("throughput", "nonsense")
        self.refused("churn", "--agent", "no argument")
        self.refused("churn", "--agent", "ours=-agentpath:other.so")

    def test_several_workloads_and_agents(self):
        arguments = parse("--build", "/b", "compare", "http", "sql", "--agents", "none,jfr")
        self.assertEqual(arguments.workload, ["http", "sql"])
        self.assertEqual(arguments.agents, ["none", "jfr"])
        self.assertEqual(arguments.build.library, "/b/lib/libprofiler.so")


class AgentsTest(unittest.TestCase):
    def words(self, name, event, release=25):
        return agents.AGENTS[name].words(agents.Settings(event, "5ms"), "/r.jfr", release)

    def test_each_agent_gets_clock_interval_and_file(self):
        for name in ("ours", "async-profiler", "ddprof", "jfr"):
            for event in ("cpu", "wall", "cpu,wall"):
                words = self.words(name, event)
                self.assertIn("5ms", words)
                self.assertIn("/r.jfr", words)

    def test_allocations_are_sampled_by_bytes(self):
        def words(name):
            return agents.AGENTS[name].words(agents.Settings("alloc", "256k"), "/r.jfr", 25)
        self.assertEqual(words("ours"), "start,alloc=256k,file=/r.jfr")
        self.assertIn("event=alloc,alloc=256k,", words("async-profiler"))
        self.assertIn("memory=256k", words("ddprof"))
        self.assertIn("+jdk.ObjectAllocationSample#enabled=true", words("jfr"))
        self.assertNotIn("jdk.CPUTimeSample", words("jfr"))

    def test_our_own_options_replace_the_common_ones(self):
        settings = agents.Settings("cpu", "5ms", "start,wall=7ms")
        self.assertEqual(agents.AGENTS["ours"].words(settings, "/r.jfr", 25),
                         "start,wall=7ms,file=/r.jfr")

    def test_flight_recorder_samples_cpu_time_where_it_can(self):
        self.assertIn("jdk.CPUTimeSample", self.words("jfr", "cpu"))
        self.assertIn("jdk.ExecutionSample", self.words("jfr", "cpu", release=17))

    def test_another_profiler_is_an_argument_of_the_jvm(self):
        other = agents.Agent("other", "/jdk", "", "-agentpath:x.so=file={folder}/x")
        self.assertEqual(other.jvm_arguments(agents.Settings(), "/f/r.jfr"),
                         ["-agentpath:x.so=file=/f/x"])
        self.assertIsNone(other.attach_request(agents.Settings(), "/f/r.jfr"))

    def test_intervals_have_units(self):
        self.assertAlmostEqual(agents.Settings("cpu", "100us").interval_seconds, 1e-4)
        self.assertAlmostEqual(agents.Settings("cpu", "2s").interval_seconds, 2)

    def test_before_measures_the_library_of_another_build(self):
        arguments = parse("--build", "/b", "--before", "/a", "startup")
        build = paths.Build("/b", arguments.before)
        with unittest.mock.patch("os.path.exists", return_value=True), \
             unittest.mock.patch("benchlib.agents._works", return_value=True):
            found = agents.available(build, "/jdk", arguments)
        self.assertEqual([(agent.name, agent.library) for agent in found],
                         [("none", ""), ("ours", "/b/lib/libprofiler.so"),
                          ("before", "/a/lib/libprofiler.so")])
        self.assertEqual(self.words("before", "cpu"), self.words("ours", "cpu"))

    def test_an_unavailable_agent_is_named(self):
        with contextlib.redirect_stderr(io.StringIO()) as err:
            self.assertIsNone(agents.find(paths.Build("/nowhere"), "ours", "/jdk"))
        self.assertIn("ours: not built", err.getvalue())


class RoundsTest(unittest.TestCase):
    AGENTS = [agents.Agent(name, "/jdk", "") for name in ("none", "ours", "jfr")]

    def test_each_agent_runs_in_every_round(self):
        order = []
        found = rounds.by_turns(
            self.AGENTS, 3, lambda agent: order.append(agent.name) or len(order), warm_ups=1)
        self.assertEqual(order[3:], ["none", "ours", "jfr", "ours", "jfr", "none", "jfr", "none",
                                     "ours"])
        self.assertEqual(found, {"none": [4, 9, 11], "ours": [5, 7, 12], "jfr": [6, 8, 10]})

    def failing(self, name):
        def once(agent):
            if agent.name == name:
                raise processes.Failed("it crashed")
            return 1
        with contextlib.redirect_stderr(io.StringIO()) as err:
            return rounds.by_turns(self.AGENTS, 2, once), err

    def test_a_failing_agent_is_named_and_left_out(self):
        found, err = self.failing("ours")
        self.assertEqual(found, {"none": [1, 1], "jfr": [1, 1]})
        self.assertEqual(err.getvalue(), "left out: ours: it crashed\n")

    def test_nothing_is_measured_without_the_unprofiled_run(self):
        with self.assertRaises(SystemExit):
            self.failing("none")


class ResultsTest(unittest.TestCase):
    def test_values_of_programs_are_numbers_if_they_can_be_parsed(self):
        self.assertEqual(processes.parse_values("a=1.5\nnoise\nb=x=y\n"), {"a": 1.5, "b": "x=y"})

    def test_parts_are_the_samples_of_methods(self):
        self.assertEqual(recordings.parts({"samples": 3.0, "part.f": 2.0}), {"f": 2.0})

    def test_tables_are_markdown(self):
        self.assertEqual(results.markdown({"columns": ["a", "b"], "rows": [[1, "x"]]}),
                         "| a | b |\n|---|---|\n| 1 | x |")

    def test_a_result_keeps_figures_and_arguments(self):
        result = results.Result("x", argparse.Namespace(run=None, build=None, rounds=3))
        result.add_figure("f", figures.Spread.of([1, 2]))
        result.add_figure("missing", None)
        self.assertEqual(result.content["arguments"], {"rounds": 3})
        self.assertEqual(result.content["figures"]["f"]["median"], 1.5)
        self.assertNotIn("missing", result.content["figures"])
        json.dumps(result.content)


class CompareTest(unittest.TestCase):
    READ = {"samples.all": 90.0, "samples": 90.0, "intervals": 99.0, "bytes": 900.0,
            "stacks.empty": 0.0, "stacks.unknown": 9.9, "stacks.rootless": 0.0}

    def test_yield_is_relative_to_the_cpu_time_of_the_process(self):
        recorded = compare.recorded(self.READ, 1.0, agents.Settings("cpu", "10ms"))
        self.assertAlmostEqual(recorded["yield"], 0.99)
        self.assertAlmostEqual(recorded["bytes.perSample"], 10)
        self.assertAlmostEqual(recorded["unknown"], 0.1)

    def test_own_cost_counts_each_part_once(self):
        times = {"signal handlers": 2e6, "signal handlers: stack walks": 1e6, "thread x": 8e6}
        cost = compare.own_cost(times, 1000, 1.0)
        self.assertAlmostEqual(cost["handler.us"], 2)
        self.assertAlmostEqual(cost["own.share"], 0.01)
        self.assertEqual(compare.own_cost({}, 1000, 1.0), {})

    def test_elapsed_time_has_no_yield(self):
        self.assertIsNone(compare.recorded(self.READ, 1.0, agents.Settings("wall"))["yield"])

    def test_a_row_compares_with_none(self):
        alone = [{"cpu.perOperation": 1000.0, "rate": 50.0, "resident.mb": 40.0}]
        mine = [{"cpu.perOperation": 1100.0, "rate": 45.0, "resident.mb": 52.0}]
        kept = {}
        cells = compare.row("ours", mine, alone, kept.__setitem__)
        self.assertEqual(cells[:4], ["ours", "x1.100", "x0.900", "+12.0 MB"])
        self.assertEqual(cells[4:], ["-"] * 7)
        self.assertAlmostEqual(kept["cpu.perOperation"].median, 1.1)
        self.assertEqual(compare.row("none", alone, alone, kept.__setitem__)[:4],
                         ["none", "1.0 us", "50/s", "40 MB"])
        slow = [{"cpu.perOperation": 7.58e9, "rate": 0.132, "resident.mb": 40.0}]
        self.assertEqual(compare.row("none", slow, slow, kept.__setitem__)[:3],
                         ["none", "7.58 s", "0.13/s"])

    def test_every_workload_has_its_source(self):
        for name, row in workloads.WORKLOADS.items():
            path = os.path.join(workloads.SOURCES, row.java_class + ".java")
            self.assertTrue(os.path.exists(path), name)


class TurnsTest(unittest.TestCase):
    def test_a_row_has_a_ratio_for_each_profiler(self):
        result = results.Result("turns", argparse.Namespace())
        table = turns.add_to(result, "/jdk", {"http": {"ours": [1.0, 1.02, 1.01], "jfr": []}},
                             agents.Settings())
        self.assertEqual(table["columns"], ["workload", "ours", "jfr"])
        self.assertEqual(table["rows"], [
            ["http", "x1.010 (1.000 to 1.020), at most x1.020", "-"]])
        self.assertEqual(list(result.content["figures"]), ["turns/jdk/http-10ms/ours/cpu"])

    def test_profilers_that_cannot_attach_are_left_out(self):
        chosen = [agents.Agent(name, "/jdk", "") for name in ("none", "ours", "ddprof", "jfr")]
        told = turns.attachable(chosen, agents.Settings())
        self.assertEqual([agent.name for agent in told], ["ours", "jfr"])

    def test_more_time_is_more_pairs(self):
        self.assertGreater(turns.rounds_in(100), turns.rounds_in(50))


class TruthTest(unittest.TestCase):
    def test_shares_add_up(self):
        self.assertEqual(truth.shares({"a": 3, "b": 1}), {"a": 0.75, "b": 0.25})
        self.assertEqual(truth.shares({}), {})

    def test_time_outside_of_the_methods_does_not_count(self):
        run = {"samples": 100, "truth": {"a": 0.5, "b": 0.4, "(none)": 0.1},
               "measured": {"a": 0.5, "b": 0.4, "(none)": 0.9}}
        self.assertEqual(truth.in_noise(run), 0)

    def test_a_profile_without_samples_has_no_deviation(self):
        self.assertIsNone(truth.in_noise({"samples": 0, "measured": {}, "truth": {"a": 1}}))


class ThroughputTest(unittest.TestCase):
    def test_the_scenarios_reach_from_one_thread_to_thousands(self):
        stable = [step[1] for step in throughput.SCENARIOS["baseline"]]
        self.assertEqual((min(stable), max(stable)), (1, 64))
        waves = [step[1] for step in throughput.SCENARIOS["exhaustion"]]
        self.assertEqual((min(waves), max(waves)), (500, 4000))


class HistoryTest(unittest.TestCase):
    MACHINE = {"cpu": "x", "processors": 2, "memory_gb": 8, "kernel": "1"}

    def entry(self, median, least, most, machine=None):
        return {"date": "d", "commit": "c", "machine": machine or self.MACHINE, "load": 0,
                "command": "compare", "arguments": {}, "figures": {"f": [median, least, most]}}

    def test_a_written_entry_is_read_back_unchanged(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "history.jsonl")
            self.assertEqual(history.read(path), [])
            history.append(self.entry(1, 1, 1), path)
            history.append(self.entry(2, 2, 2), path)
            self.assertEqual([e["figures"]["f"][0] for e in history.read(path)], [1, 2])

    def test_ranges_that_do_not_overlap_are_apart(self):
        before = [self.entry(1.0, 0.9, 1.1)]
        self.assertEqual(history.changes(self.entry(1.2, 1.15, 1.3), before),
                         [["f", "1 (c)", "1.2", "+20.0%", "apart"]])
        self.assertEqual(history.changes(self.entry(1.05, 1.0, 1.2), before)[0][-1], "")

    def test_entries_of_another_machine_are_not_compared(self):
        other = {**self.MACHINE, "processors": 64}
        self.assertEqual(history.changes(self.entry(1, 1, 1), [self.entry(2, 2, 2, other)]), [])

    def test_a_newer_kernel_is_the_same_machine(self):
        other = {**self.MACHINE, "kernel": "2"}
        self.assertEqual(len(history.changes(self.entry(1, 1, 1), [self.entry(2, 2, 2, other)])), 1)


class ReportTest(unittest.TestCase):
    def test_only_what_is_between_the_markers_changes(self):
        document = f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n"
        once = report.between_markers(document, "new")
        self.assertEqual(once, f"before\n{report.BEGIN}\n\nnew\n\n{report.END}\nafter\n")
        self.assertEqual(report.between_markers(once, "new"), once)

    def test_the_document_has_the_markers(self):
        with open(report.DOCUMENT, encoding="utf-8") as file:
            self.assertIn("new", report.between_markers(file.read(), "new"))

    def test_more_time_is_more_work_up_to_all_of_it(self):
        self.assertAlmostEqual(report.scale_for(100, [1] * 50, 10), 0.1)
        self.assertAlmostEqual(report.scale_for(250, [5] + [1] * 45, 10), 200 / 460)
        self.assertEqual(report.scale_for(1e6, [1] * 50, 10), 1)
        self.assertGreater(report.scale_for(1, [1] * 50, 10), 0)


class SamplingTest(unittest.TestCase):
    def test_the_last_times_of_a_method_count(self):
        rows = [{"method": "", "cpuTime": 1, "leftOut": ""},
                {"method": "A.run()V", "cpuTime": 1, "leftOut": ""},
                {"method": "A.put(I)V", "cpuTime": 1, "leftOut": ""},
                {"method": "A.put(J)V", "cpuTime": 1, "leftOut": ""},
                {"method": "A.get()V", "cpuTime": 1, "leftOut": "its calls are too short"},
                {"method": "", "cpuTime": 5, "leftOut": ""},
                {"method": "A.run()V", "cpuTime": 4, "leftOut": ""}]
        self.assertEqual(sampling.last_times(rows), {"": 5, "A.run": 4, "A.put": None})

    def test_samples_count_once_for_each_method_on_the_stack(self):
        stacks = sampling.parse_collapsed("Main.main_[0];A.run_[j];A.run_[i] 3\n"
                                          "Main.main_[0];Other.leaf_[1] 4\n"
                                          "Other.root 5\n"
                                          "java.lang.VirtualThread.run_[j];A.run_[j] 6\n")
        self.assertEqual(sampling.samples_of(stacks, {"", "Main.main", "A.run"}),
                         {"": (7, 0), "Main.main": (7, 0), "A.run": (3, 0)})

    def test_samples_in_probes_may_count_or_not(self):
        probe = "java.jprof.TimeProbes.entry_[j];java.jprof.TimeProbes.enter"
        stacks = sampling.parse_collapsed(f"Main.main;A.run;{probe} 3\nMain.main;{probe} 2\n"
                                          f"A.run;A.run;{probe};clock_gettime 1\n")
        self.assertEqual(sampling.samples_of(stacks, {"", "Main.main", "A.run"}),
                         {"": (6, 2), "Main.main": (5, 2), "A.run": (4, 3)})

    def test_a_deviation_is_the_distance_from_both_shares(self):
        self.assertAlmostEqual(sampling.deviation(0.5, 600, 0, 1000), 0.1 / 0.5 * 1000 ** 0.5)
        self.assertEqual(sampling.deviation(0.5, 600, 150, 1000), 0)
        self.assertAlmostEqual(sampling.deviation(0.5, 400, 150, 1000), -0.1 / 0.5 * 1000 ** 0.5)


if __name__ == "__main__":
    unittest.main()
