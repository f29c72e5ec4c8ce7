"""Records a real JVM: in every format the totals per method and thread are those that the JDK's own
reader finds in the recording."""

import collections
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from conversion import JPROF, Converted, differences
from totals import Totals

JAVA_HOME = os.environ["JPROF_JAVA_HOME"]
LIBRARY = os.environ["JPROF_LIBRARY"]
WORKLOADS = os.environ["JPROF_WORKLOADS"]
SPANS = os.environ["JPROF_SPANS"]
CPU_NS, WALL_NS = 2_000_000, 10_000_000
NATIVE = ("()L;", "(Lk;)L;")


def name_of_class(name):
    name = re.sub(r"\+0x[0-9a-f]+$", "", name.replace("/", "."))  # hidden classes: docs/views.md
    return re.sub(r"(\$\$Lambda)\$[0-9]+$", r"\1", name)


def name_of(frame):
    """Returns the name of a frame by docs/formats/jfr.md: native code is a method of its library,
    with a special descriptor."""
    method = frame["method"]
    owner, name = name_of_class(method["type"]["name"]), method["name"]
    if method["descriptor"] in NATIVE:
        return f"{owner} {name}" if name == "[unknown]" else name
    return f"{owner}.{name}"


def fields_of(recording, event):
    """Returns the fields of each event of a type, read by the JDK's reader."""
    printed = subprocess.run(
        [JAVA_HOME + "/bin/jfr", "print", "--json", "--stack-depth", "5000", "--events", event,
         recording], check=True, stdout=subprocess.PIPE).stdout
    return [each["values"] for each in json.loads(printed)["recording"]["events"]]


def totals_of_jdk(recording, event, weight_field):
    totals = Totals()
    for values in fields_of(recording, event):
        thread = values["sampledThread"]
        name = thread["javaName"] or thread["osName"]
        stack = [name_of(frame) for frame in values["stackTrace"]["frames"]]
        totals.add(f'{name} {thread["osThreadId"]}', stack,
                   values[weight_field] if weight_field else 1)
    return totals


class RecordedCase(unittest.TestCase):
    """Records one of our test programs. A subclass defines the START options and the PROGRAM."""

    CLASSES = WORKLOADS

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        cls.recording = cls.folder + "/recorded.jfr"
        subprocess.run([JAVA_HOME + "/bin/java", f"-agentpath:{LIBRARY}=start,{cls.START},"
                        f"file={cls.recording}", "-Xmx64m", "-cp", cls.CLASSES, *cls.PROGRAM],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
        cls.converted = Converted(cls.recording, cls.folder)

    @classmethod
    def tearDownClass(cls):
        if not os.environ.get("JPROF_KEEP"):
            cls.temporary.cleanup()


class RecordedTest(RecordedCase):
    START = "cpu=2ms,wall=10ms"
    PROGRAM = ["BusyLoop", "2", "1500"]

    def test_all_formats_say_what_the_reader_of_the_jdk_finds(self):
        for event, field, kind, interval_ns, pid in (
                ("jdk.ExecutionSample", None, "cpu", CPU_NS, ".cpu"),
                ("profiler.WallClockSample", "samples", "wall", WALL_NS, "")):
            with self.subTest(kind):
                expected = totals_of_jdk(self.recording, event, field)
                self.assertGreater(sum(expected.of_thread.values()), 100)
                process = self.converted.firefox().threads[0]["pid"].split(".")[0]
                totals = self.converted.totals(kind, interval_ns, process + pid)
                self.assertEqual(differences(totals, expected), "")

    def test_the_firefox_profile_knows_jvm_collections_and_load(self):
        firefox = self.converted.firefox()
        self.assertEqual(firefox.meta["product"], "BusyLoop")
        self.assertIn("JDK", firefox.meta["misc"])
        self.assertIn("jvmCpu", [counter["name"] for counter in firefox.profile["counters"]])
        taken = {entry["label"]: entry["value"] for section in firefox.meta["extra"]
                 if section["label"] == "Samples" for entry in section["entries"]}
        self.assertEqual(taken["cpu: in this profile"], taken["cpu: recorded"])

    def test_native_libraries_have_their_build_ids(self):
        pprof = self.converted.pprof("wall")
        with_id = [m for m in pprof.mappings.values() if pprof.strings[m.number(6)]]
        self.assertGreater(len(with_id), 0)
        self.assertTrue(all(pprof.strings[m.number(5)].startswith("/") for m in with_id))


def nanos_of(duration):
    """Returns the nanoseconds of a duration as jfr prints it, such as "PT1M2.5S"."""
    hours, minutes, seconds, fraction = re.fullmatch(
        r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d+))?S)?", duration).groups()
    whole = (int(hours or 0) * 60 + int(minutes or 0)) * 60 + int(seconds or 0)
    return whole * 1_000_000_000 + int((fraction or "").ljust(9, "0"))


def class_name(name):
    """Returns the name of a class in Java's notation: "byte[]" for "[B"."""
    dimensions = len(name) - len(name.lstrip("["))
    element = name[dimensions:]
    if dimensions:
        primitives = {"B": "byte", "C": "char", "D": "double", "F": "float", "I": "int", "J": "long",
                      "S": "short", "Z": "boolean"}
        element = primitives.get(element, element[1:-1])
    return name_of_class(element) + dimensions * "[]"


class EventsTest(RecordedCase):
    """Compares the values of waits, calls and objects per method and thread."""

    START = "lock=100us,alloc=64k,live,trace=EventMix.compute:1ms+EventMix.copy:1us"
    PROGRAM = ["EventMix", "10"]

    def expected(self, event, value, leaf):
        """Returns the values and the numbers of events."""
        values, counts = Totals(), Totals()
        for fields in fields_of(self.recording, event):
            thread = fields["eventThread"] or {"javaName": "virtual thread", "osThreadId": 0}
            name = thread["javaName"] or thread["osName"]
            stack = [name_of(frame) for frame in fields["stackTrace"]["frames"]]
            of_leaf = fields[leaf]
            if of_leaf is not None:  # None for a wait that did not last
                stack.insert(0, class_name(of_leaf["name"]) if leaf != "method"
                             else name_of({"method": of_leaf}))
            weight = fields[value]
            weight = nanos_of(weight) if value == "duration" else weight
            values.add(f'{name} {thread["osThreadId"]}', stack, weight)
            counts.add(f'{name} {thread["osThreadId"]}', stack, 1)
        return values, counts

    def test_all_formats_say_what_the_reader_of_the_jdk_finds(self):
        for event, kind, value, leaf, names in (
                ("jdk.JavaMonitorEnter", "lock", "duration", "monitorClass",
                 ("contentions", "delay", "nanoseconds")),
                ("jdk.ThreadPark", "park", "duration", "parkedClass",
                 ("contentions", "delay", "nanoseconds")),
                ("jdk.JavaMonitorWait", "wait", "duration", "monitorClass",
                 ("events", "duration", "nanoseconds")),
                ("jdk.MethodTrace", "method", "duration", "method",
                 ("events", "duration", "nanoseconds")),
                ("profiler.AllocatedObject", "alloc", "weight", "objectClass",
                 ("alloc_objects", "alloc_space", "bytes")),
                ("profiler.SurvivingObject", "live", "weight", "objectClass",
                 ("inuse_objects", "inuse_space", "bytes"))):
            with self.subTest(kind):
                values, counts = self.expected(event, value, leaf)
                self.assertGreater(sum(values.of_thread.values()), 0)
                totals, collapsed, samples = self.converted.values(kind, *names)
                self.assertEqual(differences(totals, values), "")
                self.assertEqual(collapsed.difference(values.without_threads()), "")
                if value == "duration":
                    for each in samples:
                        self.assertEqual(each.difference(counts), "")


class SpansTest(RecordedCase):
    """Compares nested spans of a program, with their durations and samples."""

    START = "wall=2ms,context,spans"
    PROGRAM = ["LongSpans", "300"]
    CLASSES = SPANS

    def test_views_and_firefox_say_what_the_reader_of_the_jdk_finds(self):
        samples = collections.Counter()
        for fields in fields_of(self.recording, "profiler.WallClockSample"):
            samples[fields["spanId"]] += fields["samples"]
        expected = {fields["spanId"]: (fields["eventThread"]["javaName"], nanos_of(fields["duration"]),
                                       samples[fields["spanId"]])
                    for fields in fields_of(self.recording, "profiler.Span")}
        self.assertEqual(set(expected), {1, 2})
        self.assertGreater(samples[2], 100)

        printed = subprocess.run([JPROF, "view", "spans", "--json", self.recording], check=True,
                                 stdout=subprocess.PIPE).stdout
        self.assertEqual({int(row["spanId"], 16): (row["duration"], row["wall"])
                          for row in json.loads(printed)["rows"]},
                         {span: row[1:] for span, row in expected.items()})

        markers = {}
        for thread in self.converted.firefox().threads:
            columns = thread["markers"]
            for data, begin, end in zip(columns["data"], columns["startTime"], columns["endTime"]):
                if data and data["type"] == "profiler.Span":
                    markers[data["spanId"]] = thread["name"], end - begin
        self.assertEqual(set(markers), set(expected))
        for span, (thread, millis) in markers.items():
            self.assertEqual(thread, expected[span][0])
            self.assertAlmostEqual(millis, expected[span][1] / 1e6, delta=0.0002)


@unittest.skipUnless(shutil.which(JAVA_HOME + "/bin/jfr"), "no jfr")
class FlightRecorderTest(unittest.TestCase):
    """Converts recordings of the JDK: locks, parks, I/O, allocations, garbage collections."""

    def test_events_of_the_jdk_are_markers_allocations_and_counters(self):
        with tempfile.TemporaryDirectory() as folder:
            recording = folder + "/jdk.jfr"
            subprocess.run([JAVA_HOME + "/bin/java", "-XX:StartFlightRecording:filename=" + recording +
                            ",settings=profile", "-Xlog:jfr*=off", "-Xmx512m", "-cp", WORKLOADS,
                            "AllocGc", "700"], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=60)
            converted = Converted(recording, folder)
            firefox, otlp = converted.firefox(), converted.otlp()
            markers = {data["type"] for thread in firefox.threads
                       for data in thread["markers"]["data"]}
            self.assertIn("jdk.GarbageCollection", markers)
            self.assertIn("heapUsed", [counter["name"] for counter in firefox.profile["counters"]])
            pid = firefox.threads[0]["pid"]
            allocated = firefox.totals(pid, "nativeAllocations")
            self.assertGreater(sum(allocated.of_thread.values()), 0)
            expected = otlp.totals(otlp.profile(("alloc_space", "bytes")))
            self.assertEqual(allocated.difference(expected), "")
            pprof = converted.pprof("alloc")
            self.assertEqual(pprof.types, [("alloc_objects", "count"), ("alloc_space", "bytes")])
            self.assertEqual(pprof.totals(1).difference(expected), "")


if __name__ == "__main__":
    unittest.main()
