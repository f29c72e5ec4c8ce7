"""Measures how long it takes to attach a profiler to a running JVM.

Each round starts a new JVM and sends one request over the attach protocol. The time is from the
request to the answer, which comes when the recording has started. It includes the time that the JVM
needs to listen, which it does only from its first attach on. The row `none`, which requests the
version of the JVM, shows that time alone.
"""

import os
import tempfile
import time

from benchlib import agents, attach, figures, jdks, processes, results
from benchlib.rounds import by_turns


def configure(parser):
    parser.add_argument("--rounds", type=int, default=11)
    jdks.add_argument(parser)
    agents.add_arguments(parser)
    results.add_out_argument(parser)


def once(build, home, agent, settings):
    """Returns how many milliseconds one attach takes."""
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "out.jfr")
        program = processes.Program(
            [home + "/bin/java", "-Xmx256m", "-cp", build.workloads, "Server", "1", "10"])
        request = agent.attach_request(settings, recording) or ["jcmd", "VM.version"]
        begin = time.monotonic()
        try:
            attach.tell(program.pid, request)
            return (time.monotonic() - begin) * 1e3
        finally:
            program.end()


def measure(build, home, chosen, settings, rounds):
    chosen = [agent for agent in chosen
              if agent.name == agents.NONE or agent.attach_request(settings, "") is not None]
    return by_turns(chosen, rounds, lambda agent: once(build, home, agent, settings),
                    warm_ups=1)


def add_to(result, home, times):
    rows = []
    for name, mine in times.items():
        spread = figures.Spread.of(mine)
        result.add_figure(f"attach/{jdks.name(home)}/{name}/ms", spread)
        rows.append([name, spread.text(1)])
    return result.add_table(f"Attach, {jdks.name(home)}", ["profiler", "ms"], rows)


def run(arguments):
    result = results.Result("attach-time", arguments)
    for home in jdks.chosen(arguments):
        chosen = agents.available(arguments.build, home, arguments)
        times = measure(arguments.build, home, chosen, agents.settings(arguments), arguments.rounds)
        results.print_table(add_to(result, home, times))
    result.finish(arguments.out)
