// Gunzip: unpacks a gzip file. Not part of the agent; used by one thread. Memory: two buffers, and
// zlib's window.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace jprof {

struct GunzipReport {
  uint64_t bytes = 0;
  std::string missing;  // one line about a truncated or damaged end; empty: the file is whole
};

// Unpacks all members of a gzip file to `to`. The file consists of `head` and of what `from` has
// from its current position on. `name`: of the file, for messages. Fails if the unpacked file has
// no bytes or more than `most`.
Result<GunzipReport> Gunzip(std::string head, int from, int to, const std::string& name,
                            uint64_t most);

}  // namespace jprof
