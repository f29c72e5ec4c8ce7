// RepairJfr: truncates a JFR file after its last finished chunk. The rest may be part of a chunk
// whose writer was killed, and makes other readers reject the whole file. The remaining bytes are
// unchanged; the others move to a file beside it, since jprof can often read a part of them.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace jprof::profile {

struct JfrRepairReport {
  int chunks = 0;             // after the repair
  int64_t removed_bytes = 0;  // 0: the file was intact
  std::string tail = {};      // the file that holds them; empty: there are none
};

// Fails, and changes nothing, if the file does not begin with a finished chunk, or a running
// recording has it locked. Any thread.
Result<JfrRepairReport> RepairJfr(const std::string& path);

}  // namespace jprof::profile
