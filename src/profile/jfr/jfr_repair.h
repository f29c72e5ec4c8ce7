// RepairJfr: cuts off what follows the last finished chunk of a JFR file, such as part of a chunk
// whose writer was killed while it was appended: readers other than ours reject the whole file for
// it. What remains is unchanged, byte by byte.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace jprof::profile {

struct JfrRepairReport {
  int chunks = 0;             // that the file holds now
  int64_t removed_bytes = 0;  // 0: the file was whole
};

// Fails, and changes nothing, if no finished chunk begins the file, or a recording that goes on has
// it locked. Any thread.
Result<JfrRepairReport> RepairJfr(const std::string& path);

}  // namespace jprof::profile
