"""Converts recordings whose content is known to every format: the files are sound and agree. The
readers are this folder's own."""

import copy
import glob
import json
import os
import subprocess
import tempfile
import unittest

from conversion import JPROF, MAKER, Converted, convert, differences
from firefox_reader import Firefox
from otlp_reader import STRING, Otlp
from pprof_reader import Pprof
from totals import plain

HOSTILE_METHOD = "a\"b\\c</script>;d\ne\x01\x7f\u20AC\U0001F600"
HOSTILE_THREAD = "w;1 \U0001F600\t\"<"
MILLIS = 1_000_000


class FormatsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        subprocess.run([MAKER, "recordings", cls.folder], check=True)
        cls.small = Converted(cls.folder + "/small.jfr", cls.folder)
        cls.large = Converted(cls.folder + "/large.jfr", cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def assert_equal_totals(self, totals):
        self.assertEqual(differences(totals, totals["collapsed"]), "")

    def test_all_formats_say_the_same_of_a_small_recording(self):
        cpu = self.small.totals("cpu", 10 * MILLIS, "0.cpu")
        self.assert_equal_totals(cpu)
        self.assert_equal_totals(self.small.totals("wall", 20 * MILLIS, "0"))
        one = cpu["firefox"]
        self.assertEqual(one.of_thread, {"main 1": 5, f"{plain(HOSTILE_THREAD)} 2": 4, "main 3": 2})
        self.assertEqual(one.total_of["main 1", "app.Sort.sort"], 5)
        self.assertEqual(one.self_of["main 1", "app.Sort.sort"], 2)
        self.assertEqual(one.self_of[f"{plain(HOSTILE_THREAD)} 2", f"app.X.{plain(HOSTILE_METHOD)}"],
                         4)
        self.assertEqual(one.self_of["main 3", "app.Main.run"], 1)

    def test_all_formats_say_the_same_of_a_large_recording(self):
        self.assert_equal_totals(self.large.totals("cpu", 100_000, "0.cpu"))

    def test_a_flat_table_has_the_sums_of_all_threads(self):
        totals = self.large.collapsed("cpu")
        own, total = {}, {}
        for sums, counts in ((own, totals.self_of), (total, totals.total_of)):
            for (_, method), weight in counts.items():
                sums[method] = sums.get(method, 0) + weight
        expected = {method: (own.get(method, 0), weight) for method, weight in total.items()}
        self.assertEqual(self.large.flat("cpu"), expected)

    def test_a_tree_adds_up_and_is_one_line_per_frame(self):
        path = self.small.path(".tree")
        self.assertTrue(convert(self.small.recording, path, "--event", "cpu"))
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        self.assertEqual(lines[0], "# cpu: 11 samples of 10 ms; small.jfr")
        tops = [line for line in lines if line.endswith("app.Main.run")]
        self.assertEqual(tops[0].split(), ["11", "100.0%", "1", "app.Main.run"])
        hostile = [line for line in lines if "app.X." in line]
        self.assertEqual(len(hostile), 1)
        self.assertIn("\\x01", hostile[0])

    def test_equal_recordings_give_equal_files(self):
        for name in ("json", "otlp", "tree", "flat"):
            texts = []
            for turn in range(2):
                path = f"{self.folder}/turn{turn}.{name}"
                self.assertTrue(convert(self.large.recording, path))
                with open(path, "rb") as file:
                    texts.append(file.read())
            self.assertEqual(texts[0], texts[1], name)

    def test_formats_that_always_have_lines_say_that_an_option_changes_nothing(self):
        for name, always in (("html", True), ("json", True), ("otlp", True), ("tree", False),
                             ("collapsed", False)):
            for options in ([], ["--lines"]):
                done = subprocess.run([JPROF, "convert", *options, self.small.recording,
                                       f"{self.folder}/lines.{name}"], text=True,
                                      capture_output=True, check=True)
                self.assertEqual("has line numbers anyhow; --lines changes nothing" in done.stderr,
                                 always and options != [], name)

    # Facts that only one format has.

    def test_firefox_knows_idle_time_tiers_and_inlining(self):
        firefox = self.small.firefox()
        main = [t for t in firefox.threads_of("0") if t["tid"] == "1"][0]
        stacks, frames = firefox.shared["stackTable"], firefox.shared["frameTable"]
        categories = firefox.meta["categories"]
        leaves = {frames["category"][stacks["frame"][s]] for s in main["samples"]["stack"]
                  if s is not None}
        self.assertEqual([categories[leaf]["name"] for leaf in leaves], ["Idle"])
        self.assertEqual(sum(main["samples"]["threadCPUDelta"]), 50 * MILLIS)  # 5 cpu samples
        cpu = [t for t in firefox.threads_of("0.cpu") if t["tid"] == "1"][0]["samples"]
        # The time between samples in which the thread waits has a row without a stack at both ends.
        self.assertEqual([s is None for s in cpu["stack"]],
                         [True] + 3 * [False] + 2 * [True] + 2 * [False] + [True])
        self.assertEqual(cpu["threadCPUDelta"],
                         [delta * MILLIS for delta in (0, 10, 10, 10, 0, 0, 10, 10, 0)])
        depths = {frames["inlineDepth"][stacks["frame"][s]] for s in cpu["stack"] if s is not None}
        self.assertEqual(depths, {2})
        names = {firefox.strings[name] for name in firefox.shared["funcTable"]["name"]}
        self.assertIn("app.Sort.swap(int[], int, int)", names)
        self.assertIn("app/Sort.java", [firefox.strings[name]
                                        for name in firefox.shared["sources"]["filename"]])

    def test_firefox_writes_weights_of_threads_that_have_uneven_ones(self):
        self.small.firefox()
        with open(self.small.path(".json"), encoding="utf-8") as file:
            threads = {(t["pid"], t["tid"]): t["samples"] for t in json.load(file)["threads"]}
        self.assertIsNone(threads["0.cpu", "1"]["weight"])
        self.assertIsNone(threads["0", "2"]["weight"])  # one sample
        parked = threads["0", "1"]
        self.assertEqual([w for w in parked["weight"] if w], [1, 49])
        self.assertEqual([w > 0 for w in parked["weight"]], [s is not None for s in parked["stack"]])

    def test_firefox_has_at_most_a_thousand_threads_and_all_their_samples(self):
        firefox = Converted(self.folder + "/many.jfr", self.folder).firefox()
        weights = {thread["name"]: sum(thread["samples"]["weight"]) for thread in firefox.threads}
        self.assertEqual(len(firefox.threads), 1000)
        self.assertEqual(sum(weights.values()), 1207)
        self.assertEqual(weights["worker-1"], 5)
        self.assertEqual(weights["[virtual threads]"], 3)
        self.assertEqual(weights["[202 other threads]"], 202)

    def test_pprof_has_inlined_methods_as_lines_of_one_location(self):
        pprof = self.small.pprof("cpu")
        sample = [s for s in pprof.samples if pprof.names(s)[0] == "app.Sort.swap"][0]
        self.assertEqual(len(sample.numbers(1)), 1)
        lines = pprof.locations[sample.numbers(1)[0]].messages(4)
        self.assertEqual([line.number(2) for line in lines], [30, 20, 10])
        self.assertEqual(pprof.labels(sample)["thread_id"], 1)

    def test_otlp_names_threads_and_frame_types(self):
        otlp = self.small.otlp()
        self.assertEqual(otlp.resource()["service.name"], "java")
        wall = otlp.profile(("wall", "nanoseconds"))
        sample = [s for s in wall.messages(2) if otlp.names(s)[0] == "do_syscall_64"][0]
        labels = dict(map(otlp.attribute, sample.numbers(2)))
        self.assertEqual((labels["thread.id"], labels["thread.state"]), (1, "STATE_PARKED"))
        first = otlp.entry(2, otlp.entry(7, sample.number(1)).numbers(1)[0])
        self.assertEqual(otlp.attribute(first.numbers(4)[0]), ("profile.frame.type", "kernel"))

    # Allocations and live objects.

    def test_estimated_bytes_are_the_same_everywhere_and_objects_are_counted(self):
        heap = Converted(self.folder + "/heap.jfr", self.folder)
        expected = {
            "alloc": ("alloc_objects", "alloc_space", {"long[]": (3, 3_000_000),
                                                       "app.Node": (5000, 5_000_400)}),
            "live": ("inuse_objects", "inuse_space", {"app.Node": (2000, 2_000_000)})}
        otlp = heap.otlp()
        for kind, (count, space, by_class) in expected.items():
            pprof = heap.pprof(kind)
            self.assertEqual(pprof.types, [(count, "count"), (space, "bytes")])
            for place, column in enumerate((count, space)):
                numbers = {name: pair[place] for name, pair in by_class.items()}
                profile = otlp.profile((column, ("count", "bytes")[place]))
                for totals in (pprof.totals(place), otlp.totals(profile)):
                    self.assertEqual({name: n for (_, name), n in totals.self_of.items()}, numbers)
            firefox = Firefox(heap._made(f".{kind}.json", "--event", kind))
            firefox.check()
            totals = firefox.totals("0", "nativeAllocations")
            self.assertEqual({name: n for (_, name), n in totals.self_of.items()},
                             {name: pair[1] for name, pair in by_class.items()})

    # Hostile recordings.

    def test_hostile_recordings_give_sound_files_or_one_line(self):
        subprocess.run([MAKER, "hostile", self.folder, "40"], check=True)
        converted = 0
        for number in range(40):
            recording = f"{self.folder}/{number}.jfr"
            for name, reader in (("json", Firefox), ("otlp", Otlp), ("pprof", Pprof)):
                output = f"{recording}.{name}"
                if convert(recording, output):
                    with self.subTest(output):
                        reader(output).check()
                        converted += 1
            for name in ("tree", "flat"):
                convert(recording, f"{recording}.{name}")
        self.assertGreater(converted, 40)

    # The checks themselves.

    def test_the_firefox_check_refuses_what_breaks_the_front_end(self):
        sound = self.small.firefox()

        def faults(profile):
            shared, thread = profile["shared"], profile["threads"][0]
            yield "a column that is too short", lambda: shared["frameTable"]["line"].pop()
            yield "no category", lambda: shared["frameTable"].pop("category")
            yield "a parent behind its child", lambda: shared["stackTable"]["prefixOffset"].__setitem__(1, 2)
            yield "a stack out of range", lambda: thread["samples"]["stack"].__setitem__(1, 10 ** 6)
            yield "a time that goes back", lambda: thread["samples"]["timeDeltas"].__setitem__(2, -1)
            yield "a pid as a number", lambda: thread.__setitem__("pid", 7)
            yield "an unknown colour", lambda: profile["meta"]["categories"][1].__setitem__("color", "lightgrey")
            yield "another version", lambda: profile["meta"].__setitem__("preprocessedProfileVersion", 71)
            yield "no threads", lambda: profile["threads"].clear()
            yield "half a character", lambda: shared["stringArray"].__setitem__(0, "\ud83d")
            yield "a depth that jumps", lambda: shared["frameTable"]["inlineDepth"].__setitem__(
                shared["frameTable"]["inlineDepth"].index(2), 3)
            yield "a weight without a stack", lambda: thread["samples"]["weight"].__setitem__(0, 1)

        for number, (what, _) in enumerate(faults(sound.profile)):
            with self.subTest(what):
                path = f"{self.folder}/fault.json"
                profile = copy.deepcopy(sound.profile)
                list(faults(profile))[number][1]()
                with open(path, "w", encoding="utf-8", errors="surrogatepass") as file:
                    json.dump(profile, file)
                with self.assertRaises((AssertionError, UnicodeDecodeError)):
                    Firefox(path).check()

    def test_the_otlp_check_refuses_orphans_duplicates_and_other_zeros(self):
        for what, change in (
                ("an orphan", lambda otlp: otlp.tables[STRING].append(b"nobody")),
                ("a duplicate", lambda otlp: otlp.tables[STRING].append(otlp.tables[STRING][1])),
                ("no zero value", lambda otlp: otlp.tables[7].__setitem__(0, b"\x0a\x01\x01")),
                ("an empty table", lambda otlp: otlp.tables[4].clear())):
            with self.subTest(what):
                otlp = self.small.otlp()
                change(otlp)
                otlp.strings = [text.decode() for text in otlp.tables[STRING]]
                with self.assertRaises(AssertionError):
                    otlp.check()

    def test_the_pprof_check_refuses_ids_and_values_that_do_not_fit(self):
        for what, change in (
                ("an unused location", lambda pprof: pprof.locations.__setitem__(
                    10 ** 6, pprof.locations[1])),
                ("a string that is not empty", lambda pprof: pprof.strings.__setitem__(0, "x")),
                ("another number of values", lambda pprof: pprof.types.pop())):
            with self.subTest(what):
                pprof = self.small.pprof("cpu")
                change(pprof)
                with self.assertRaises((AssertionError, KeyError)):
                    pprof.check()


if __name__ == "__main__":
    unittest.main()
