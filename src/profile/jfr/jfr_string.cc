#include "profile/jfr/jfr_string.h"

#include <string_view>

#include "base/modified_utf8.h"

namespace jprof::profile {
namespace {

enum : uint8_t { kNull = 0, kEmpty = 1, kPool = 2, kUtf8 = 3, kChars = 4, kLatin1 = 5 };

void Append(std::string& out, uint32_t unit) {
  if (unit < 0x80) {
    out += static_cast<char>(unit);
  } else if (unit < 0x800) {
    out += static_cast<char>(0xC0 | unit >> 6);
    out += static_cast<char>(0x80 | (unit & 0x3F));
  } else {
    out += static_cast<char>(0xE0 | unit >> 12);
    out += static_cast<char>(0x80 | (unit >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (unit & 0x3F));
  }
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

JfrString ReadJfrString(ByteCursor& cursor) {
  JfrString result;
  const uint8_t form = cursor.Byte();
  if (form == kNull) return result;
  if (form == kPool) {
    result.pool_key = cursor.Long();
    return result;
  }
  std::string text;
  if (form == kUtf8) {
    const std::span<const uint8_t> bytes = cursor.Bytes(cursor.Count());
    // Some writers store the VM's modified UTF-8 as it is; this makes any bytes valid UTF-8.
    text = Utf8FromModifiedUtf8({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  } else if (form == kLatin1) {
    for (const uint8_t byte : cursor.Bytes(cursor.Count())) Append(text, byte);
  } else if (form == kChars) {
    for (uint64_t count = cursor.Count(); count != 0 && !cursor.failed(); --count) {
      Append(text, cursor.Short());
    }
    text = Utf8FromModifiedUtf8(text);  // joins surrogates, replaces lone ones
  } else if (form != kEmpty) {
    cursor.Fail();
  }
  result.text = std::move(text);
  return result;
}

}  // namespace jprof::profile
