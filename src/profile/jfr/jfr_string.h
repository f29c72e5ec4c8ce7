// Strings of the JFR format, in their six forms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profile/jfr/byte_cursor.h"

namespace jprof::profile {

struct JfrString {
  std::optional<uint64_t> pool_key;  // the text is in the String pool
  std::optional<std::string> text;   // valid UTF-8; nothing: null
};

void SkipJfrString(ByteCursor& cursor);
JfrString ReadJfrString(ByteCursor& cursor);

}  // namespace jprof::profile
