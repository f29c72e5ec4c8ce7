"""Reads OTLP profiles (ProfilesData), and checks them by the rules of OpenTelemetry's profcheck and
of profiles.proto: entry 0 of every table is the zero value, no entry is there twice or without a
reference."""

from totals import Totals
from wire import Message

MAPPING, LOCATION, FUNCTION, LINK, STRING, ATTRIBUTE, STACK = range(1, 8)


class Otlp:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = Message(file.read())
        dictionary = self.data.message(2)
        self.tables = {field: dictionary.fields.get(field, []) for field in range(1, 8)}
        self.strings = [text.decode("utf-8") for text in self.tables[STRING]]
        self.resources = self.data.messages(1)
        self.profiles = [profile for resource in self.resources
                         for scope in resource.messages(2) for profile in scope.messages(2)]

    def entry(self, table, number):
        assert 0 <= number < len(self.tables[table]), f"no entry {number} in table {table}"
        return Message(self.tables[table][number])

    def value_type(self, message):
        return self.strings[message.number(1)], self.strings[message.number(2)]

    def attribute(self, number):
        entry = self.entry(ATTRIBUTE, number)
        value = entry.message(2)
        return (self.strings[entry.number(1)],
                value.text(1) if 1 in value.fields else value.number(3))

    def resource(self):
        return {each.text(1): each.message(2).text(1) if 1 in each.message(2).fields
                else each.message(2).number(3)
                for each in self.resources[0].message(1).messages(1)}

    def check(self):
        assert self.resources, "no resource"
        ids = [profile.bytes(7) for profile in self.profiles]
        assert all(len(each) == 16 and any(each) for each in ids), "a profile without an id"
        assert len(set(ids)) == len(ids), "profiles of one id"
        for resource in self.resources:
            assert resource.messages(2), "a resource without a scope"
            for scope in resource.messages(2):
                assert scope.messages(2), "a scope without a profile"
        for field, table in self.tables.items():
            assert table, f"table {field} is empty"
            assert table[0] == b"", f"entry 0 of table {field} is not the zero value"
            assert len(set(table)) == len(table), f"an entry twice in table {field}"
        self.used = {field: {0} for field in self.tables}
        for profile in self.profiles:
            self._check_profile(profile)
        for field, table in self.tables.items():
            orphans = set(range(len(table))) - self.used[field]
            assert not orphans, f"nothing refers to {sorted(orphans)[:5]} of table {field}"

    def _use(self, table, number):
        self.entry(table, number) if table != STRING else self.strings[number]
        is_new = number not in self.used[table]
        self.used[table].add(number)
        return is_new

    def _use_attributes(self, numbers):
        keys = set()
        for number in numbers:
            assert number != 0, "no attribute"
            if self._use(ATTRIBUTE, number):
                self._use(STRING, self.entry(ATTRIBUTE, number).number(1))
                self._use(STRING, self.entry(ATTRIBUTE, number).number(3))
            key = self.attribute(number)[0]
            assert key and key not in keys, f"an attribute twice: {key}"
            keys.add(key)

    def _check_profile(self, profile):
        for field in (1, 5):
            kind = profile.message(field)
            assert kind.number(1) > 0 and kind.number(2) > 0, "no type of values"
            self._use(STRING, kind.number(1))
            self._use(STRING, kind.number(2))
        assert profile.number(3) >= 0 and profile.number(4) >= 0, "no time"
        identities = set()
        for sample in profile.messages(2):
            assert len(sample.numbers(4)) == 1 and not sample.numbers(5), "not one value"
            attributes = sample.numbers(2)
            identity = sample.number(1), frozenset(attributes), sample.number(3)
            assert identity not in identities, "a sample twice"
            identities.add(identity)
            self._use_attributes(attributes)
            if self._use(LINK, sample.number(3)):
                link = self.entry(LINK, sample.number(3))
                assert (len(link.bytes(1)), len(link.bytes(2))) == (16, 8), "ids of a wrong size"
            assert sample.number(1) != 0, "a sample without a stack"
            if self._use(STACK, sample.number(1)):
                locations = self.entry(STACK, sample.number(1)).numbers(1)
                assert locations, "a stack without locations"
                for number in locations:
                    self._check_location(number)

    def _check_location(self, number):
        assert number != 0, "no location"
        if not self._use(LOCATION, number):
            return
        location = self.entry(LOCATION, number)
        self._use_attributes(location.numbers(4))
        frame_types = [value for key, value in map(self.attribute, location.numbers(4))
                       if key == "profile.frame.type"]
        assert len(frame_types) == 1 and frame_types[0] in ("jvm", "native", "kernel"), frame_types
        if self._use(MAPPING, location.number(1)):
            mapping = self.entry(MAPPING, location.number(1))
            self._use(STRING, mapping.number(4))
            self._use_attributes(mapping.numbers(5))
            begin, end = mapping.number(1), mapping.number(2)
            assert begin == end == 0 or begin < end, "a mapping that ends before it begins"
        assert location.messages(3), "a location without a line"
        for line in location.messages(3):
            assert line.number(2) >= 0 and line.number(3) >= 0, "a line below 0"
            assert line.number(1) != 0, "a line without a function"
            if self._use(FUNCTION, line.number(1)):
                for field in (1, 2, 3):
                    self._use(STRING, self.entry(FUNCTION, line.number(1)).number(field))

    def names(self, sample):
        """Returns the names of a sample's frames, innermost first."""
        names = []
        for number in self.entry(STACK, sample.number(1)).numbers(1):
            for line in self.entry(LOCATION, number).messages(3):
                names.append(self.strings[self.entry(FUNCTION, line.number(1)).number(1)])
        return names

    def profile(self, kind):
        """Returns the profile of a sample type, such as ("cpu", "nanoseconds")."""
        found = [each for each in self.profiles if self.value_type(each.message(1)) == kind]
        assert len(found) == 1, f"{len(found)} profiles of {kind}"
        return found[0]

    def totals(self, profile):
        totals = Totals()
        for sample in profile.messages(2):
            labels = dict(map(self.attribute, sample.numbers(2)))
            thread = f'{labels.get("thread.name", "virtual thread")} {labels.get("thread.id", 0)}'
            totals.add(thread, self.names(sample), sample.numbers(4)[0])
        return totals
