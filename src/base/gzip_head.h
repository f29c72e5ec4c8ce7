// IsGzip: true if the first bytes of a file are those of a gzip file (RFC 1952, 2.3.1).
//
// Thread-safe: no state.
#pragma once

#include <string_view>

namespace jprof {

inline bool IsGzip(std::string_view head) { return head.starts_with("\x1F\x8B"); }

}  // namespace jprof
