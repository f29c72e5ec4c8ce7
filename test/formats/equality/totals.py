"""Sums the content of a file: the common form in which the formats are compared.

A Totals holds, for every thread and method, the weight of the method itself and of the method with
its callees. Stacks are lists of names, innermost first; a method that calls itself counts once.
"""

import collections


def plain(name):
    """Returns a name that every format can hold: collapsed stacks have no ';' and no line ends."""
    return name.replace(";", "|").replace("\n", " ").replace("\r", " ")


class Totals:
    def __init__(self):
        self.self_of = collections.Counter()   # (thread, method) -> weight
        self.total_of = collections.Counter()
        self.of_thread = collections.Counter()

    def add(self, thread, stack, weight):
        if weight == 0:
            return
        thread = plain(thread)
        names = [plain(name) for name in stack]
        self.of_thread[thread] += weight
        self.self_of[thread, names[0]] += weight
        for name in set(names):
            self.total_of[thread, name] += weight

    def scaled(self, factor):
        """Returns the weights divided by `factor`. REQUIRES: all are multiples of it."""
        scaled = Totals()
        for mine, theirs in ((scaled.self_of, self.self_of), (scaled.total_of, self.total_of),
                             (scaled.of_thread, self.of_thread)):
            for key, weight in theirs.items():
                assert weight % factor == 0, f"{weight} of {key} is no multiple of {factor}"
                mine[key] = weight // factor
        return scaled

    def without_threads(self):
        merged = Totals()
        for mine, theirs in ((merged.self_of, self.self_of), (merged.total_of, self.total_of)):
            for (_, method), weight in theirs.items():
                mine["", method] += weight
        merged.of_thread[""] = sum(self.of_thread.values())
        return merged

    def difference(self, other):
        """Returns the first few differences as text; empty if there are none."""
        lines = []
        for what in ("of_thread", "self_of", "total_of"):
            mine, theirs = getattr(self, what), getattr(other, what)
            for key in sorted(set(mine) | set(theirs), key=str):
                if mine[key] != theirs[key]:
                    lines.append(f"{what} {key}: {mine[key]} and {theirs[key]}")
        return "\n".join(lines[:10])
