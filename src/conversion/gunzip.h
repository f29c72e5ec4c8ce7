// Gunzip: unpacks a gzip file. jprof only; one thread. Memory: two buffers, and zlib's window.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace jprof {

struct GunzipReport {
  uint64_t bytes = 0;
  std::string missing;  // one line about a tail that is cut or damaged; empty: none
};

// Unpacks `from`, read from its current position on and after `head`, to `to`. All members of the
// file count. `name`: for messages. Fails if more than `most` bytes come out, or none.
Result<GunzipReport> Gunzip(std::string head, int from, int to, const std::string& name,
                            uint64_t most);

}  // namespace jprof
