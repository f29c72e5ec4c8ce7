"""Reads pprof's profile.proto, and checks it by the rules of Profile.CheckValid and by those of
proto/profile.proto that no program enforces."""

import gzip

from totals import Totals
from wire import Message


class Pprof:
    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        assert data[:2] == b"\x1f\x8b", "not compressed"
        self.message = Message(gzip.decompress(data))
        self.strings = [text.decode("utf-8") for text in self.message.fields.get(6, [])]
        self.types = [self.value_type(each) for each in self.message.messages(1)]
        self.samples = self.message.messages(2)
        self.mappings = {each.number(1): each for each in self.message.messages(3)}
        self.locations = {each.number(1): each for each in self.message.messages(4)}
        self.functions = {each.number(1): each for each in self.message.messages(5)}

    def value_type(self, message):
        return self.strings[message.number(1)], self.strings[message.number(2)]

    @property
    def period(self):
        return self.message.number(12)

    @property
    def period_type(self):
        return self.value_type(self.message.message(11))

    @property
    def default_type(self):
        return self.strings[self.message.number(14)]

    def check(self):
        self._check_ids()
        assert self.strings[0] == "", "string 0 is not empty"
        assert len(set(self.strings)) == len(self.strings), "a string twice"
        used_locations, used_functions, used_mappings = set(), set(), {1}
        for sample in self.samples:
            assert len(sample.numbers(2)) == len(self.types), "values do not match the types"
            locations = sample.numbers(1)
            assert locations, "a sample without a stack"
            used_locations.update(locations)
            keys = [self.strings[label.number(1)] for label in sample.messages(3)]
            assert len(set(keys)) == len(keys), f"a label twice: {keys}"
            for label in sample.messages(3):
                assert (2 in label.fields) != (3 in label.fields), "a label with two values or none"
        for number in used_locations:
            location = self.locations[number]
            assert location.messages(4), "a location without a line"
            used_mappings.add(location.number(2))
            for line in location.messages(4):
                used_functions.add(line.number(1))
                assert line.number(2) >= 0, "a line below 0"
        assert used_locations == set(self.locations), "a location that no sample has"
        assert used_functions == set(self.functions), "a function that no location has"
        assert used_mappings == set(self.mappings), "a mapping that no location has"
        for function in self.functions.values():
            assert self.strings[function.number(2)], "a function without a name"
        for mapping in self.mappings.values():
            assert mapping.number(7) == 1, "a reader would look for the names of functions"
        assert self.message.number(9) >= 0 and self.message.number(10) >= 0, "no time"
        if self.types:
            assert self.period > 0 and self.period_type in self.types, "no period"
            assert self.default_type == self.types[-1][0], "not the default that people want"

    def _check_ids(self):
        for field, table in ((3, self.mappings), (4, self.locations), (5, self.functions)):
            assert len(table) == len(self.message.messages(field)), "an id twice"
            assert 0 not in table, "an id of 0"

    def names(self, sample):
        """Returns the names of a sample's frames, innermost first."""
        names = []
        for number in sample.numbers(1):
            for line in self.locations[number].messages(4):
                names.append(self.strings[self.functions[line.number(1)].number(2)])
        return names

    def labels(self, sample):
        labels = {}
        for label in sample.messages(3):
            value = self.strings[label.number(2)] if 2 in label.fields else label.number(3)
            labels[self.strings[label.number(1)]] = value
        return labels

    def totals(self, column):
        totals = Totals()
        for sample in self.samples:
            labels = self.labels(sample)
            thread = f'{labels.get("thread", "virtual thread")} {labels.get("thread_id", 0)}'
            totals.add(thread, self.names(sample), sample.numbers(2)[column])
        return totals
