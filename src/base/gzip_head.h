// IsGzip: whether a file begins as gzip files do (RFC 1952, 2.3.1).
//
// Thread-safe: no state.
#pragma once

#include <string_view>

namespace jprof {

inline bool IsGzip(std::string_view head) { return head.starts_with("\x1F\x8B"); }

}  // namespace jprof
