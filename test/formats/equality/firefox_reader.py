"""Reads a profile in the Firefox Profiler's processed format, version 70, and checks the properties
that its front end relies on without checking them."""

import gzip
import json

from totals import Totals

COLOURS = {"transparent", "purple", "green", "orange", "yellow", "lightblue", "blue", "brown",
           "magenta", "red", "lightred", "darkgrey", "grey"}
GRAPH_COLOURS = {"blue", "green", "grey", "ink", "magenta", "orange", "purple", "red", "teal",
                 "yellow"}
DISPLAYS = {"marker-chart", "marker-table", "timeline-memory", "timeline-fileio",
            "timeline-overview"}
FORMATS = {"unique-string", "bytes", "duration", "percentage", "decimal", "integer", "string"}
RESERVED_SCHEMAS = {"GCMajor", "GCMinor", "GCSlice", "IPC", "Network", "Jank", "Text"}
SHARED = {
    "stackTable": ["frame", "prefixOffset"],
    "frameTable": ["address", "lib", "inlineDepth", "category", "subcategory", "func",
                   "nativeSymbol", "innerWindowID", "line", "column", "originalLocation"],
    "funcTable": ["name", "isJS", "relevantForJS", "resource", "source", "lineNumber",
                  "columnNumber", "originalLocation"],
    "resourceTable": ["name", "host", "type"],
    "nativeSymbols": ["libIndex", "address", "name", "functionSize"],
    "sources": ["id", "filename", "startLine", "startColumn", "sourceMapURL", "content"],
    "sourceLocationTable": ["source", "line", "column"],
}
THREAD = ["processType", "processStartupTime", "processShutdownTime", "registerTime",
          "unregisterTime", "pausedRanges", "name", "isMainThread", "processName", "pid", "tid",
          "samples", "markers"]


def check_columns(table, columns, name):
    assert set(table) - {"length", "weightType"} == set(columns), f"columns of {name}: {list(table)}"
    for column in columns:
        assert len(table[column]) == table["length"], f"{name}.{column} has a wrong length"


def check_range(values, length, name, absent=()):
    for value in values:
        assert value in absent or 0 <= value < length, f"{name}: {value} of {length}"


class Firefox:
    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        # strict: control characters in strings are refused. decode() refuses invalid UTF-8.
        self.profile = json.loads(data.decode("utf-8"), strict=True)
        self.shared = self.profile["shared"]
        self.strings = self.shared["stringArray"]
        self.meta = self.profile["meta"]
        self.threads = self.profile["threads"]

    def check(self):
        for text in self.strings:
            assert not any(0xD800 <= ord(c) < 0xE000 for c in text), "half a character"
        assert len(set(self.strings)) == len(self.strings), "a string twice"
        self._check_meta()
        self._check_shared()
        assert self.threads, "no threads: the front end refuses to load"
        self.ids = set()
        for thread in self.threads:
            self._check_thread(thread)
        for counter in self.profile["counters"]:
            self._check_counter(counter)

    def _check_meta(self):
        meta = self.meta
        assert meta["version"] == 36 and meta["preprocessedProfileVersion"] == 70
        assert meta["interval"] > 0 and meta["startTime"] >= 0
        assert meta["processType"] == 0 and meta["stackwalk"] == 1 and meta["product"]
        assert meta["symbolicated"] and meta["symbolicationNotSupported"]
        assert meta["sampleUnits"] == {"time": "ms", "eventDelay": "ms", "threadCPUDelta": "ns"}
        for category in meta["categories"]:
            assert category["color"] in COLOURS, category
            assert category["subcategories"][0] == "Other", category
        names = [category["name"] for category in meta["categories"]]
        assert names.count("Idle") == 1, "the filter for idle time knows this name alone"
        assert [c["color"] for c in meta["categories"]].count("grey") == 1, "no default category"
        self.schemas = {schema["name"]: schema for schema in meta["markerSchema"]}
        assert len(self.schemas) == len(meta["markerSchema"]), "a schema twice"
        for schema in self.schemas.values():
            assert schema["name"] not in RESERVED_SCHEMAS, schema["name"]
            assert set(schema["display"]) <= DISPLAYS and schema["display"], schema
            keys = [field["key"] for field in schema["fields"]]
            assert len(set(keys)) == len(keys) and not {"type", "cause"} & set(keys), keys
            for field in schema["fields"]:
                assert field["format"] in FORMATS and field["label"], field
            for graph in schema.get("graphs", []):
                assert graph["key"] in keys, graph
        for section in meta["extra"]:
            for entry in section["entries"]:
                assert entry["format"] in FORMATS and entry["value"] is not None, entry

    def _check_shared(self):
        shared = self.shared
        assert set(shared) == set(SHARED) | {"stringArray"}, list(shared)
        for name, columns in SHARED.items():
            check_columns(shared[name], columns, name)
        strings, libs = len(self.strings), len(self.profile["libs"])
        stacks, frames, funcs = shared["stackTable"], shared["frameTable"], shared["funcTable"]
        check_range(stacks["frame"], frames["length"], "stackTable.frame")
        for i, offset in enumerate(stacks["prefixOffset"]):
            assert 0 <= offset <= i, f"stack {i} stands before its parent"
        check_range(frames["func"], funcs["length"], "frameTable.func")
        check_range(frames["lib"], libs, "frameTable.lib", absent=(-1,))
        check_range(frames["nativeSymbol"], shared["nativeSymbols"]["length"],
                    "frameTable.nativeSymbol", absent=(None,))
        for i in range(frames["length"]):
            category, subcategory = frames["category"][i], frames["subcategory"][i]
            assert (category is None) == (subcategory is None), "half a category"
            if category is not None:
                assert 0 <= category < len(self.meta["categories"])
                assert 0 <= subcategory < len(self.meta["categories"][category]["subcategories"])
            assert frames["inlineDepth"][i] >= 0
            assert frames["inlineDepth"][i] == 0 or frames["nativeSymbol"][i] is not None
            assert (frames["address"][i] == -1) == (frames["lib"][i] == -1)
            assert frames["line"][i] is None or frames["line"][i] > 0
        check_range(funcs["name"], strings, "funcTable.name")
        check_range(funcs["resource"], shared["resourceTable"]["length"], "funcTable.resource", (-1,))
        check_range(funcs["source"], shared["sources"]["length"], "funcTable.source", (None,))
        assert all(isinstance(each, bool) for each in funcs["isJS"] + funcs["relevantForJS"])
        check_range(shared["resourceTable"]["name"], strings, "resourceTable.name")
        assert set(shared["resourceTable"]["type"]) <= {1, 5}, "others make the front end fetch icons"
        check_range(shared["nativeSymbols"]["libIndex"], libs, "nativeSymbols.libIndex")
        check_range(shared["nativeSymbols"]["name"], strings, "nativeSymbols.name")
        check_range(shared["sources"]["filename"], strings, "sources.filename")
        # The inline depth of an inlined frame is one more than its caller's.
        for i, frame in enumerate(stacks["frame"]):
            depth = frames["inlineDepth"][frame]
            if depth:
                caller = stacks["frame"][i - stacks["prefixOffset"][i]]
                assert stacks["prefixOffset"][i], "inlined into nothing"
                assert frames["inlineDepth"][caller] == depth - 1, "a depth is missing"
                assert frames["nativeSymbol"][caller] == frames["nativeSymbol"][frame]

    def _check_thread(self, thread):
        for key in THREAD:
            assert key in thread, f"a thread without {key}"
        assert isinstance(thread["pid"], str), "counters vanish where a pid is a number"
        assert isinstance(thread["tid"], str) and (thread["pid"], thread["tid"]) not in self.ids
        self.ids.add((thread["pid"], thread["tid"]))
        assert thread["processType"] == "default" and not thread["isMainThread"]
        samples = thread["samples"]
        if samples["weight"] is None:
            samples["weight"] = [int(stack is not None) for stack in samples["stack"]]
        check_columns(samples, ["stack", "timeDeltas", "weight", "threadCPUDelta"], "samples")
        assert samples["weightType"] in ("samples", "tracing-ms"), samples["weightType"]
        stacks = self.shared["stackTable"]["length"]
        check_range(samples["stack"], stacks, "samples.stack", absent=(None,))
        assert all(delta >= 0 for delta in samples["timeDeltas"]), "times that do not ascend"
        assert all(delta >= 0 for delta in samples["threadCPUDelta"])
        for stack, weight in zip(samples["stack"], samples["weight"]):
            assert weight > 0 if stack is not None else weight == 0, "weight without a stack"
        markers = thread["markers"]
        check_columns(markers, ["data", "name", "startTime", "endTime", "phase", "category"],
                      "markers")
        check_range(markers["name"], len(self.strings), "markers.name")
        check_range(markers["category"], len(self.meta["categories"]), "markers.category")
        assert markers["startTime"] == sorted(markers["startTime"])
        for i in range(markers["length"]):
            self._check_marker(markers, i)
        if "nativeAllocations" in thread:
            table = thread["nativeAllocations"]
            balanced = ["memoryAddress", "threadId"] if "memoryAddress" in table else []
            check_columns(table, ["time", "weight", "stack"] + balanced, "nativeAllocations")
            assert table["weightType"] == "bytes"
            assert table["time"] == sorted(table["time"])
            check_range(table["stack"], stacks, "nativeAllocations.stack", absent=(None,))

    def _check_marker(self, markers, i):
        data = markers["data"][i]
        assert data and data["type"] in self.schemas, "the front end hides such a marker"
        assert markers["phase"][i] in (0, 1)
        assert (markers["endTime"][i] is None) == (markers["phase"][i] == 0)
        assert markers["phase"][i] == 0 or markers["endTime"][i] >= markers["startTime"][i]
        schema = self.schemas[data["type"]]
        formats = {field["key"]: field["format"] for field in schema["fields"]}
        for key, value in data.items():
            if key == "cause":
                check_range([value["stack"]], self.shared["stackTable"]["length"], "cause")
            elif key != "type":
                assert key in formats, f"a field without a schema: {key}"
                assert isinstance(value, (int, float)), f"{key}: {value}"
                if formats[key] == "unique-string":
                    check_range([value], len(self.strings), key)
        for graph in schema.get("graphs", []):
            assert graph["key"] in data, "a graph without its number"

    def _check_counter(self, counter):
        assert isinstance(counter["pid"], str), "counters vanish where a pid is a number"
        assert 0 <= counter["mainThreadIndex"] < len(self.threads)
        samples, display = counter["samples"], counter["display"]
        check_columns(samples, ["time", "count"], "counter")
        assert samples["time"] == sorted(samples["time"]) and samples["count"][0] == 0
        assert set(display) == {"graphType", "unit", "color", "markerSchemaLocation", "sortWeight",
                                "label", "tooltipRows"}, list(display)
        assert display["color"] in GRAPH_COLOURS and display["tooltipRows"], display
        assert display["graphType"] in ("line-rate", "line-accumulated")
        assert counter["name"] != "processCPU", "the front end hides it"

    def names(self, stack):
        """Returns the names of a stack, innermost first. Methods have no parameters, as in other
        formats."""
        names = []
        stacks, frames, funcs = (self.shared[table] for table in
                                 ("stackTable", "frameTable", "funcTable"))
        while True:
            func = frames["func"][stacks["frame"][stack]]
            name = self.strings[funcs["name"][func]]
            if funcs["isJS"][func] and name.endswith(")"):
                name = name[:name.rindex("(")]
            names.append(name)
            if stacks["prefixOffset"][stack] == 0:
                return names
            stack -= stacks["prefixOffset"][stack]

    def threads_of(self, kind_pid):
        return [thread for thread in self.threads if thread["pid"] == kind_pid]

    def totals(self, pid, table="samples"):
        totals = Totals()
        for thread in self.threads_of(pid):
            name = f'{thread["name"]} {thread["tid"].split(".")[0]}'
            rows = thread.get(table)
            for stack, weight in zip(rows["stack"], rows["weight"]) if rows else ():
                if stack is not None:
                    totals.add(name, self.names(stack), weight)
        return totals
