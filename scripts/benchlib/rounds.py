"""Runs rounds in which every profiler has a turn."""

import os
import sys
import tempfile

from benchlib import agents, figures, processes


def by_turns(chosen, rounds, once, warm_ups=0):
    """Returns {agent's name: [result of once(agent) in each round]}.

    If a program fails with an agent, the agent is named and left out. If it fails with `none`, the
    script ends, because there is nothing to compare with. The results of the first `warm_ups`
    rounds are dropped.
    """
    found = {agent.name: [] for agent in chosen}
    remaining = list(chosen)
    for i in range(-warm_ups, rounds):
        for agent in figures.rotated(list(remaining), i):
            try:
                value = once(agent)
            except processes.Failed as failure:
                if agent.name == agents.NONE:
                    sys.exit(str(failure))
                print(f"left out: {agent.name}: {failure}", file=sys.stderr)
                remaining.remove(agent)
                del found[agent.name]
                continue
            if i >= 0:
                found[agent.name].append(value)
    return found


def programs_by_turns(build, home, chosen, settings, rounds, program, warm_ups=0):
    """Returns {agent's name: [processes.Finished of each round]} for a workload that ends by
    itself.

    `program` has the workload's class and its arguments.
    """
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "out.jfr")
        return by_turns(
            chosen, rounds,
            lambda agent: processes.run(
                [home + "/bin/java", "-Xmx256m", *agent.jvm_arguments(settings, recording), "-cp",
                 build.workloads, *program]),
            warm_ups)
