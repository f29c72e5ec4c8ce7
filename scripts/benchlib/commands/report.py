"""Measures all figures of docs/performance.md, writes them to it, and appends them to the history.

Measures start-up and attach of every JDK; every workload of `compare` and `turns` on the newest
JDK, some also at 1 ms, and some on an older JDK for profilers with which the newest does not run;
all scenarios of `throughput`; and `truth`. The tables replace the text between the markers in the
document, and the figures are appended to docs/performance-history.jsonl. `--minutes` sets how much
work a workload does; the number of rounds stays the same. Run nothing else at the same time.
"""

import os
import time

from benchlib import agents, figures, history, jdks, paths, results, workloads
from benchlib.commands import attach_time, compare, startup, throughput, truth, turns
from benchlib.commands import history as history_command

DOCUMENT = os.path.join(paths.ROOT, "docs/performance.md")
BEGIN = "<!-- figures: scripts/bench report writes what follows -->"
END = "<!-- figures: end -->"

WORK_SECONDS = 10.0  # elapsed time of a workload at scale 1, with its warm-up
STEP_SECONDS = 7.0   # elapsed time of a step of `throughput` at scale 1
CLOSE_UP = ("http", "handoff")  # workloads that are also measured at CLOSE_UP_INTERVAL
CLOSE_UP_INTERVAL = "1ms"
ELSEWHERE = ("http",)  # workloads that are also measured on older JDKs, for profilers that need one
TRUTH_SECONDS = 10.0  # CPU time, which has 10 000 samples at 1 ms
IN_TURNS = (agents.OURS, "async-profiler")
# The shares of the time that these parts get. The other parts have a fixed length.
SHARES = {"compare": 0.4, "turns": 0.35, "throughput": 0.08}


def configure(parser):
    parser.add_argument("--minutes", type=float, default=45.0)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--document", default=DOCUMENT)
    parser.add_argument("--history", default=history.PATH)
    parser.add_argument("--dry", action="store_true",
                        help="do not change the document and the history")
    jdks.add_newest_argument(parser)
    agents.add_arguments(parser)
    results.add_out_argument(parser)


def scale_for(seconds, least, work_seconds):
    """Returns the scale at which all runs together take `seconds`.

    `least` has the seconds that each run takes at any scale, and `work_seconds` the time for the
    work of a run at scale 1.
    """
    return min(1.0, max(0.05, (seconds - sum(least)) / (len(least) * work_seconds)))


class Report:
    def __init__(self, arguments):
        self.arguments = arguments
        self.build, self.home = arguments.build, jdks.newest(arguments)
        self.result = results.Result("report", arguments)
        self.settings = agents.settings(arguments)
        self.homes = [arguments.jdk] if arguments.jdk else jdks.installed()
        self.agents = {home: agents.available(self.build, home, arguments) for home in self.homes}
        self.tables = []

    def add(self, table):
        self.tables.append(table)
        results.print_table(table)

    def comparisons(self):
        """Returns a list of (end of the title, JDK, agents, settings, workload)."""
        rows = [("", self.home, self.agents[self.home], self.settings, name)
                for name in workloads.chosen(self.build, self.home, ["all"])]
        close = agents.Settings("cpu", CLOSE_UP_INTERVAL, self.arguments.options)
        rows += [(f", {CLOSE_UP_INTERVAL}", self.home, self.agents[self.home], close, name)
                 for name in CLOSE_UP]
        for home in self.homes:
            if only := self.only_on(home):
                beside = self.some(home, (agents.NONE, agents.OURS))
                rows += [(f", JDK {jdks.release(home)}", home, beside + only, self.settings, name)
                         for name in ELSEWHERE]
        return rows

    def compare(self, seconds):
        comparisons = self.comparisons()
        least = [workloads.WORKLOADS[name].least_seconds for _, _, chosen, _, name in comparisons
                 for _ in range(self.arguments.rounds * len(chosen))]
        scale = scale_for(seconds, least, WORK_SECONDS)
        print(f"workloads: {len(least)} runs of {scale:.2f} of the work", flush=True)
        cells = []
        for title, home, chosen, settings, name in comparisons:
            measured = compare.measure(self.build, home, chosen, settings, name, scale,
                                       self.arguments.rounds, self.result)
            prefix = name if settings is self.settings else f"{name}-{settings.interval}"
            table = compare.add_to(self.result, home, name, measured, prefix)
            cells += [[name + title] + row for row in table["rows"]]
            print(f"{name}{title}: done", flush=True)
        self.add({"title": f"Workloads, {jdks.name(self.home)}, {self.arguments.rounds} rounds of "
                  f"{scale:.2f} of the work, every {self.settings.interval} of CPU time",
                  "columns": ["workload"] + table["columns"], "rows": cells})

    def turns(self, seconds):
        chosen = turns.attachable(self.some(self.home, IN_TURNS), self.settings)
        close = agents.Settings("cpu", CLOSE_UP_INTERVAL, self.arguments.options)
        names = workloads.chosen(self.build, self.home, ["all"])
        runs = [(self.settings, names), (close, CLOSE_UP)]
        count = sum(len(some) for _, some in runs) * max(1, len(chosen))
        fitting = max(turns.LEAST_ROUNDS, round(turns.rounds_in(seconds / count)))
        rounds = min(fitting, 2 * self.arguments.rounds + 1)
        for settings, some in runs:
            self.add(turns.add_to(self.result, self.home, {
                name: turns.measure_all(self.build, self.home, chosen, settings, name, rounds)
                for name in some}, settings))

    def own_parts(self):
        """Adds a table with the parts of our own CPU time for each workload."""
        mine = [run for run in self.result.content["runs"]
                if run.get("agent") == agents.OURS and "own.parts" in run]
        names = sorted({part for run in mine for part in run["own.parts"]})
        rows = []
        for workload in dict.fromkeys(run["workload"] for run in mine):
            runs = [run["own.parts"] for run in mine if run["workload"] == workload]
            rows.append([workload] + [
                f"{figures.Spread.of([run.get(name, 0.0) for run in runs]).median:.2%}"
                for name in names])
        self.add({"title": "Our own time, of the CPU time of the process (every run together)",
                  "columns": ["workload"] + names, "rows": rows})

    def throughput(self, seconds):
        chosen = self.some(self.home, (agents.NONE, agents.OURS))
        scenarios = [name for name in throughput.SCENARIOS if name != "quick"]
        steps = sum(len(throughput.SCENARIOS[name]) for name in scenarios)
        rounds = min(5, self.arguments.rounds)
        scale = scale_for(seconds, [0.5] * (steps * len(chosen) * rounds), STEP_SECONDS)
        for name in scenarios:
            self.add(throughput.run_scenario(self.build, self.home, chosen, self.settings, name,
                                             scale, rounds, self.result))

    def truth(self):
        settings = agents.Settings("cpu", "1ms", self.arguments.options)
        for home in self.homes:
            chosen = self.agents[home] if home == self.home else self.only_on(home)
            chosen = [agent for agent in chosen if agent.name != agents.NONE]
            if chosen:
                runs = truth.measure(self.build, home, chosen, settings, TRUTH_SECONDS,
                                     min(3, self.arguments.rounds))
                self.add(truth.add_to(self.result, home, runs))

    def some(self, home, names):
        return [agent for agent in self.agents[home] if agent.name in names]

    def only_on(self, home):
        """Returns the agents that run on this JDK but not on the newest."""
        here = {agent.name for agent in self.agents[self.home]}
        return [agent for agent in self.agents[home] if agent.name not in here]

    def starts(self):
        for home in self.homes:
            self.add(startup.add_to(self.result, home, startup.measure(
                self.build, home, self.agents[home], self.settings, 3 * self.arguments.rounds)))
            self.add(attach_time.add_to(self.result, home, attach_time.measure(
                self.build, home, self.agents[home], self.settings, 2 * self.arguments.rounds)))

    def text(self):
        content = self.result.content
        machine = content["machine"]
        head = (f"Measured {content['date']} at {content['commit']}, load before it "
                f"{content['load']}: {machine['cpu']}, {machine['processors']} processors, "
                f"{machine['memory_gb']} GB, Linux {machine['kernel']}.")
        tables = [f"**{table['title']}**\n\n{results.markdown(table)}" for table in self.tables]
        return "\n\n".join([head] + tables)


def between_markers(document, text):
    """Returns the document with `text` between its markers."""
    begin, end = document.index(BEGIN) + len(BEGIN), document.index(END)
    return f"{document[:begin]}\n\n{text}\n\n{document[end:]}"


def run(arguments):
    begin = time.monotonic()
    report = Report(arguments)
    seconds = arguments.minutes * 60
    try:
        report.starts()
        report.truth()
        report.throughput(seconds * SHARES["throughput"])
        report.compare(seconds * SHARES["compare"])
        report.turns(seconds * SHARES["turns"])
        report.own_parts()
    finally:
        report.result.finish(arguments.out or arguments.build.path("bench/report.json"))
    if not arguments.dry:
        with open(arguments.document, encoding="utf-8") as file:
            document = between_markers(file.read(), report.text())
        with open(arguments.document, "w", encoding="utf-8") as file:
            file.write(document)
        history_command.add(report.result.content, arguments.history)
    print(f"took {(time.monotonic() - begin) / 60:.1f} minutes")
