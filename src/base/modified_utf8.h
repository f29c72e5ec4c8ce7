// Conversion of modified UTF-8, the encoding of strings from JNI and JVMTI, to UTF-8.
//
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace jprof {

// Converts `text` to UTF-8. Modified UTF-8 writes U+0000 as C0 80 and characters beyond U+FFFF as
// two surrogates of three bytes each. Four-byte UTF-8 is accepted as well, so plain UTF-8 passes
// unchanged. Invalid input (lone surrogates, truncated or overlong sequences) becomes U+FFFD: the
// result is always valid UTF-8.
std::string Utf8FromModifiedUtf8(std::string_view text);

// Appends the character as UTF-8. A surrogate becomes three bytes, as in modified UTF-8.
// Utf8FromModifiedUtf8 then joins a pair of surrogates to one character.
void AppendUtf8(std::string& out, uint32_t code);

}  // namespace jprof
