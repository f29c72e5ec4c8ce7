// Strings of the JFR format, in their six forms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "jfr/reader/byte_cursor.h"

namespace jprof::profile {

// Longer texts, in bytes or UTF-16 units, are truncated with "...". Thousands of constants may
// refer to one text, and outputs repeat the text for each. A text within an event is of that event
// alone, and may be whole: thread dumps are such texts.
inline constexpr uint64_t kMaxTextUnits = 8192;

struct JfrString {
  std::optional<uint64_t> pool_key;  // the text is in the String pool
  std::optional<std::string> text;   // valid UTF-8; nothing: null
};

void SkipJfrString(ByteCursor& cursor);
JfrString ReadJfrString(ByteCursor& cursor, uint64_t most_units = kMaxTextUnits);

}  // namespace jprof::profile
