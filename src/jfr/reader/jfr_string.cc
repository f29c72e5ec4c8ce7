#include "jfr/reader/jfr_string.h"

#include <algorithm>
#include <string_view>

#include "base/modified_utf8.h"

namespace jprof::profile {
namespace {

enum : uint8_t { kNull = 0, kEmpty = 1, kPool = 2, kUtf8 = 3, kChars = 4, kLatin1 = 5 };

// Returns `utf8` without its last character if only the first bytes of that character are there.
std::span<const uint8_t> WithoutCutCharacter(std::span<const uint8_t> utf8) {
  size_t end = utf8.size();
  while (end != 0 && utf8.size() - end < 3 && (utf8[end - 1] & 0xC0) == 0x80) --end;
  const bool begins_there = end != 0 && utf8[end - 1] >= 0xC0;
  return begins_there ? utf8.first(end - 1) : utf8;
}

// Converts any bytes to valid UTF-8: some writers store the VM's modified UTF-8 unchanged.
std::string TextOf(std::span<const uint8_t> utf8) {
  return Utf8FromModifiedUtf8({reinterpret_cast<const char*>(utf8.data()), utf8.size()});
}

// Reads `count` units of a string, and keeps the first `most` of them. `form` is kUtf8, kChars or
// kLatin1.
std::string ReadUnits(ByteCursor& cursor, uint8_t form, uint64_t count, uint64_t most) {
  const uint64_t taken = std::min(count, most);
  std::string text;
  if (form == kChars) {
    for (uint64_t i = 0; i < count && !cursor.failed(); ++i) {
      const uint16_t unit = cursor.Short();
      if (i < taken) AppendUtf8(text, unit);
    }
    text = Utf8FromModifiedUtf8(text);  // joins pairs of surrogates, and replaces single ones
  } else {
    const std::span<const uint8_t> bytes = cursor.Bytes(count).first(taken);
    if (form == kLatin1) {
      for (const uint8_t byte : bytes) AppendUtf8(text, byte);
    } else {
      text = TextOf(taken == count ? bytes : WithoutCutCharacter(bytes));
    }
  }
  if (taken != count) text += "...";
  return text;
}

}  // namespace

void SkipJfrString(ByteCursor& cursor) {
  switch (cursor.Byte()) {
    case kNull:
    case kEmpty:
      return;
    case kPool:
      cursor.Long();
      return;
    case kUtf8:
    case kLatin1:
      cursor.Bytes(cursor.Count());
      return;
    case kChars:
      for (uint64_t count = cursor.Count(); count != 0 && !cursor.failed(); --count) cursor.Short();
      return;
    default:
      cursor.Fail();
  }
}

JfrString ReadJfrString(ByteCursor& cursor, uint64_t most_units) {
  JfrString result;
  const uint8_t form = cursor.Byte();
  if (form == kNull) return result;
  if (form == kPool) {
    result.pool_key = cursor.Long();
    return result;
  }
  if (form == kUtf8 || form == kLatin1 || form == kChars) {
    result.text = ReadUnits(cursor, form, cursor.Count(), most_units);
    return result;
  }
  if (form != kEmpty) cursor.Fail();
  result.text.emplace();
  return result;
}

}  // namespace jprof::profile
