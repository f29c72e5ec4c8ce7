"""Reads messages in the encoding of protocol buffers as lists of fields. Written from the
specification of the encoding alone: shares no code with the writers of the files."""

import struct


def varint(data, at):
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return number & 0xFFFFFFFFFFFFFFFF, at


class Message:
    """fields: number -> values in their order; bytes for a value with a length."""

    def __init__(self, data):
        self.fields = {}
        at = 0
        while at < len(data):
            key, at = varint(data, at)
            kind = key & 7
            if kind == 0:
                value, at = varint(data, at)
            elif kind == 1:
                value, at = struct.unpack_from("<Q", data, at)[0], at + 8
            elif kind == 2:
                size, at = varint(data, at)
                value, at = data[at:at + size], at + size
                assert len(value) == size, "a field is longer than its message"
            else:
                raise AssertionError(f"wire type {kind}")
            self.fields.setdefault(key >> 3, []).append(value)

    def number(self, field):
        value = self.fields.get(field, [0])[-1]
        return value - (1 << 64) if value >= 1 << 63 else value

    def bytes(self, field):
        return self.fields.get(field, [b""])[-1]

    def text(self, field):
        return self.bytes(field).decode("utf-8")

    def numbers(self, field):
        """Returns the numbers of a repeated field, packed or not."""
        numbers = []
        for value in self.fields.get(field, []):
            if isinstance(value, int):
                numbers.append(value)
                continue
            at = 0
            while at < len(value):
                number, at = varint(value, at)
                numbers.append(number - (1 << 64) if number >= 1 << 63 else number)
        return numbers

    def message(self, field):
        return Message(self.bytes(field))

    def messages(self, field):
        return [Message(value) for value in self.fields.get(field, [])]
