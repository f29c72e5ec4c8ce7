"""Medians, spreads and ratios: the functions that compute every printed figure."""

import dataclasses
import math
import statistics


@dataclasses.dataclass(frozen=True)
class Spread:
    """Several measurements of one figure: their median and their range."""

    median: float
    least: float
    most: float
    count: int

    @staticmethod
    def of(values):
        """Returns the Spread of the values that are not None; None if there are none."""
        values = [value for value in values if value is not None]
        if not values:
            return None
        return Spread(statistics.median(values), min(values), max(values), len(values))

    def text(self, digits):
        if self.count == 1:
            return f"{self.median:.{digits}f}"
        return f"{self.median:.{digits}f} ({self.least:.{digits}f} to {self.most:.{digits}f})"


def ratios(values, references):
    """Returns the Spread of value / reference. Both have one measurement per round; rounds
    without both are skipped."""
    return Spread.of([value / reference for value, reference in zip(values, references)
                      if value is not None and reference])


def differences(values, references):
    """Returns the Spread of value - reference, as ratios() does for the quotient."""
    return Spread.of([value - reference for value, reference in zip(values, references)
                      if value is not None and reference is not None])


def mean_and_error(values):
    """Returns the mean of the values and its standard error, which is None for one value."""
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else None
    return statistics.mean(values), error


def upper_bound_of_median(values):
    """Returns an upper bound of the median, at 95 %, one-sided, for any distribution.

    It is an order statistic: the i-th smallest value, counted from 0, is below the median only if
    more than i values are, and the number of values below the median is binomial.
    """
    ordered = sorted(values)
    not_below = 0.0
    for i, value in enumerate(ordered):
        not_below += math.comb(len(ordered), i) / 2 ** len(ordered)
        if not_below >= 0.95:
            return value
    return ordered[-1]


def rotated(items, round_number):
    """Returns the items in the order of a round. Over all rounds, each item is equally often
    first, second, ..."""
    start = round_number % len(items)
    return list(items[start:]) + list(items[:start])


def alternating(first, second, round_number):
    return (first, second) if round_number % 2 == 0 else (second, first)


def sampling_noise(share, samples):
    """Returns the standard deviation of a share estimated from so many independent samples."""
    return math.sqrt(share * (1 - share) / samples)


def deviation_in_noise(measured, truth, samples):
    """Returns the root mean square of the deviations, each divided by its own sampling noise.

    About 1 means no further from the truth than independent samples would be. `measured` and
    `truth` are {part: share}; a part that is only in `truth` was measured as 0.
    """
    squares = [((measured.get(part, 0.0) - share) / sampling_noise(share, samples)) ** 2
               for part, share in truth.items() if 0 < share < 1]
    return math.sqrt(sum(squares) / len(squares)) if squares else 0.0
