// Conversion of the strings that JNI and JVMTI hand out (modified UTF-8) to UTF-8. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace jprof {

// Modified UTF-8 writes U+0000 as C0 80 and characters beyond U+FFFF as two surrogates of three
// bytes each. Four-byte UTF-8 is accepted as well, so plain UTF-8 passes unchanged. Invalid
// input (lone surrogates, truncated or overlong sequences) becomes U+FFFD: the result is always
// valid UTF-8.
std::string Utf8FromModifiedUtf8(std::string_view text);

// Appends the character as UTF-8; of half of a surrogate pair, as modified UTF-8 has it, the three
// bytes that Utf8FromModifiedUtf8 joins.
void AppendUtf8(std::string& out, uint32_t code);

}  // namespace jprof
