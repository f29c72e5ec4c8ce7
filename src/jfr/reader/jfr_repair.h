// RepairJfr: truncates a JFR file after its last finished chunk. A file whose writer was killed can
// end in a part of a chunk; other readers then reject the whole file. The finished chunks stay
// unchanged. The bytes after them are moved to another file in the same folder, since jprof can
// often read some of their events.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace jprof::profile {

struct JfrRepairReport {
  int chunks = 0;             // number of finished chunks
  int64_t removed_bytes = 0;  // 0 if the file was intact
  std::string tail = {};      // path of the file with the removed bytes; empty if none were removed
};

// Repairs the file at `path`. Fails, without changing the file, if the file does not begin with a
// finished chunk, or if a running recording has locked it. May be called on any thread.
Result<JfrRepairReport> RepairJfr(const std::string& path);

}  // namespace jprof::profile
