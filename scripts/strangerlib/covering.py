"""Covering tables: few combinations in which each allowed pair of values occurs.

A factor is a list of values. A combination has one value of each factor. A forbidden pair is two
values that exclude each other. The same factors always give the same table.
"""

import collections
import itertools


class Factors:
    """The values of each factor, in order, and the pairs that no combination may have
    (`forbidden`)."""

    def __init__(self, factors, forbidden):
        self.factors = {name: list(values) for name, values in factors.items()}
        self.forbidden = {frozenset(pair) for pair in forbidden}

    def is_allowed(self, values):
        return not any(frozenset(pair) in self.forbidden
                       for pair in itertools.combinations(values, 2))

    def pairs(self):
        """Returns, in order, all pairs of values of different factors that at least one
        combination can have."""
        return [pair for one, other in itertools.combinations(self.factors.values(), 2)
                for pair in itertools.product(one, other)
                if self.completed(dict.fromkeys(pair)) is not None]

    def completed(self, chosen, rank=lambda value, chosen: 0):
        """Returns the combination that has the values of `chosen` and, for each other factor,
        the allowed value with the highest `rank`. Returns None if no combination has the values
        of `chosen`."""
        if not self.is_allowed(chosen):
            return None
        for values in self.factors.values():
            if any(value in chosen for value in values):
                continue
            for value in sorted(values, key=lambda each: rank(each, chosen), reverse=True):
                found = self.completed({**chosen, value: None}, rank)
                if found is not None:
                    return found
            return None
        return tuple(value for values in self.factors.values() for value in values
                     if value in chosen)


def pairs_of(combination):
    return {frozenset(pair) for pair in itertools.combinations(combination, 2)}


def table(factors):
    """Returns combinations that together contain each pair of factors.pairs().

    Each combination is the best of several candidates, one for each pair that is still missing. The
    other values of a candidate are those that add the most missing pairs and, if several add as
    many, those that the fewest combinations have so far.
    """
    missing = {frozenset(pair): pair for pair in factors.pairs()}
    found = []
    uses = collections.Counter()

    def gain(value, chosen):
        return sum(frozenset((value, each)) in missing for each in chosen), -uses[value]

    while missing:
        candidates = [factors.completed(dict.fromkeys(pair), gain) for pair in missing.values()]
        best = max(candidates, key=lambda each: len(pairs_of(each) & missing.keys()))
        found.append(best)
        uses.update(best)
        for pair in pairs_of(best):
            missing.pop(pair, None)
    return found
