"""Medians, spreads and ratios. Every figure that is printed comes from here."""

import dataclasses
import math
import statistics


@dataclasses.dataclass(frozen=True)
class Spread:
    """Several measurements of one thing: the median, and how far they lie apart."""

    median: float
    least: float
    most: float
    count: int

    @staticmethod
    def of(values):
        """None of no values."""
        values = [value for value in values if value is not None]
        if not values:
            return None
        return Spread(statistics.median(values), min(values), max(values), len(values))

    def text(self, digits):
        if self.count == 1:
            return f"{self.median:.{digits}f}"
        return f"{self.median:.{digits}f} ({self.least:.{digits}f} to {self.most:.{digits}f})"


def ratios(values, references):
    """Spread of the ratios of measurements of the same round; rounds without both do not count."""
    return Spread.of([value / reference for value, reference in zip(values, references)
                      if value is not None and reference])


def differences(values, references):
    """As ratios(), but the differences."""
    return Spread.of([value - reference for value, reference in zip(values, references)
                      if value is not None and reference is not None])


def upper_bound_of_median(values):
    """One-sided, 95 %, whatever the distribution: by order statistics.

    The i-th smallest, from 0, lies below the median only if more than i values do, and how many do
    is binomial.
    """
    ordered = sorted(values)
    not_below = 0.0
    for i, value in enumerate(ordered):
        not_below += math.comb(len(ordered), i) / 2 ** len(ordered)
        if not_below >= 0.95:
            return value
    return ordered[-1]


def rotated(items, round_number):
    """The order of a round: each item is first, second, ... equally often."""
    start = round_number % len(items)
    return list(items[start:]) + list(items[:start])


def alternating(first, second, round_number):
    return (first, second) if round_number % 2 == 0 else (second, first)


def sampling_noise(share, samples):
    """Standard deviation of a share that is estimated by so many independent samples."""
    return math.sqrt(share * (1 - share) / samples)


def deviation_in_noise(measured, truth, samples):
    """Root mean square of the deviations, each in units of its own sampling noise.

    About 1: no further from the truth than independent samples would be. `measured` and `truth`
    are {part: share}; parts that are in `truth` only were measured as 0.
    """
    squares = [((measured.get(part, 0.0) - share) / sampling_noise(share, samples)) ** 2
               for part, share in truth.items() if 0 < share < 1]
    return math.sqrt(sum(squares) / len(squares)) if squares else 0.0
