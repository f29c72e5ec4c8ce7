"""Rounds in which every profiler has its turn."""

import sys

from benchlib import agents, figures, processes


def by_turns(chosen, rounds, once, warm_ups=0):
    """{agent's name: [what once(agent) returned, by round]}.

    An agent with which a program fails is named and left out; without `none` there is nothing to
    compare with, so its failure ends the script. The first `warm_ups` rounds are not kept.
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
