// Functions that read the strings of the JFR format, in their six forms. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "jfr/reader/byte_cursor.h"

namespace jprof::profile {

// Caps the length of a text, in bytes or UTF-16 units; longer texts are cut and end in "...". The
// cap is needed because thousands of constants can refer to one text, and outputs repeat the text
// for each of them. It need not apply to a text inside an event, such as a thread dump, because
// that text belongs to one event only.
inline constexpr uint64_t kMaxTextUnits = 8192;

struct JfrString {
  std::optional<uint64_t> pool_key;  // key of a text in the String pool
  std::optional<std::string> text;   // valid UTF-8; nullopt: null, or in the pool
};

void SkipJfrString(ByteCursor& cursor);
JfrString ReadJfrString(ByteCursor& cursor, uint64_t most_units = kMaxTextUnits);

}  // namespace jprof::profile
