"""Combines the neighbours of test/strangers/neighbours.txt, and runs a program with a combination."""

import dataclasses
import functools
import itertools
import math
import os
import platform

from benchlib import agents
from strangerlib import covering, jvms, recordings, table, trials

LIBRARIES = f"/usr/lib/{platform.machine()}-linux-gnu"
PROGRAM = "program"  # the factor whose values are programs
PROFILER = "profiler"  # stands for the profiler's own options, in a list of options
WITHOUT = "without:"   # stands before the name of an engine of the profiler that is left out
ASYNC_PROFILER = "{async-profiler}"
FEWER = 4
CONTROL_SECONDS = 1  # load of the run whose result all other runs must have


@dataclasses.dataclass(frozen=True)
class Neighbour:
    factor: str
    name: str
    jdks: tuple  # releases on which it exists; empty for all
    excluded: tuple
    environment: tuple
    options: tuple

    @property
    def is_default(self):
        return self.name.startswith("(")


@functools.lru_cache
def known():
    """Returns {name: Neighbour}, in the order of the table."""
    found = {}
    for factor, name, jdks, excluded, environment, options in table.rows("neighbours.txt"):
        found[name] = Neighbour(factor, name, tuple(map(int, table.words(jdks))), table.words(excluded),
                                table.words(environment), table.words(options))
    return found


def factors(jdk):
    """Returns the covering.Factors of a JDK."""
    values = [each for each in known().values() if not each.jdks or jdk in each.jdks]
    by_name = {name: [each.name for each in members] for name, members in
               itertools.groupby(values, key=lambda each: each.factor)}
    return covering.Factors(by_name, [(each.name, other) for each in values
                                      for other in each.excluded])


@functools.lru_cache
def combinations(jdk):
    """Returns the combinations to run on a JDK, as tuples of names."""
    return covering.table(factors(jdk))


def program_of(combination):
    """Returns the Program of a combination, with fewer operations, because it can run in the
    interpreter."""
    program = next(table.programs()[name] for name in combination if known()[name].factor == PROGRAM)
    return dataclasses.replace(program, operations=program.operations // FEWER)


def name_of(combination):
    """Returns the names of those neighbours that differ from the JVM's defaults."""
    names = [name for name in combination
             if not known()[name].is_default and known()[name].factor != PROGRAM]
    return "+".join(names) or table.NONE


def _environment(neighbour):
    for word in neighbour.environment:
        name, _, text = word.replace("{lib}", LIBRARIES).partition("=")
        if text.startswith("/") and not os.path.exists(text):
            raise table.Missing(f"{text}: scripts/bootstrap --dev")
        yield name, text


def _options(neighbour, build):
    for word in neighbour.options:
        if word.startswith("agent:"):
            yield from table.beside(table.agents()[word[len("agent:"):]]).behind
        elif ASYNC_PROFILER in word:
            library = agents.AGENTS["async-profiler"].library(build)
            if not library:
                raise table.Missing(agents.AGENTS["async-profiler"].missing)
            yield word.replace(ASYNC_PROFILER, library)
        else:
            yield word


def beside(combination, build):
    """Returns the table.Beside of a combination. Raises table.Missing if the machine lacks a
    part of it."""
    environment, front, behind, left_out = [], [], [], []
    for name in combination:
        neighbour = known()[name]
        environment += _environment(neighbour)
        options = list(_options(neighbour, build))
        if PROFILER in options:
            place = options.index(PROFILER)
            front += options[:place]
            options = options[place + 1:]
        left_out += [word[len(WITHOUT):] for word in options if word.startswith(WITHOUT)]
        behind += [word for word in options if not word.startswith(WITHOUT)]
    return table.Beside(name_of(combination), tuple(environment), tuple(front), tuple(behind),
                        tuple(left_out))


@functools.lru_cache
def result_of(program, jdk):
    """Returns the result of a program that runs alone."""
    settings = trials.Settings(None, "", CONTROL_SECONDS, 1, 0)
    return trials.plain(program, jdk, table.ALONE, settings)["result"]


def trial(program, jdk, company, settings):
    """Returns the Outcome of a program with these neighbours: of a run that is recorded from its
    launch on, and of a run with late starts. A failure that also occurs without the profiler
    becomes a note and no fault."""
    outcome = trials.Outcome(program.name, jdk, company.name)
    expected = result_of(program, jdk)
    failures = []
    for part in (_recorded, trials.late):
        before = len(outcome.faults)
        try:
            part(outcome, program, company, settings, expected)
        except jvms.Failed as failure:
            # The complaints of this run become part of the failure: if the program has crashed,
            # jprof cannot reach it either.
            failures.append("; ".join([*outcome.faults[before:], str(failure)]))
            del outcome.faults[before:]
        except recordings.Unreadable as failure:
            outcome.complain(str(failure))
    if failures:
        _blame(outcome, program, company, settings, failures)
    return outcome


def _recorded(outcome, program, company, settings, expected):
    values, file = trials.recorded(program, outcome.jdk, company, settings)
    trials.judge(outcome, program, values, file, settings)
    outcome.p99.append(values.get("p99.nanos", math.nan) / 1e6)
    if values["result"] != expected:
        outcome.complain(f"result {values['result']}, not {expected}")


def _blame(outcome, program, company, settings, failures):
    try:
        trials.plain(program, outcome.jdk, company, settings)
    except jvms.Failed as failure:
        outcome.notes.append(f"without the profiler too: {failure}")
        return
    for failure in failures:
        outcome.complain(failure)
