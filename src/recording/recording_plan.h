// RecordingPlan: what the recorder records, and where.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "jvm/vm_structs.h"
#include "sigsafe/base/types.h"

namespace jprof {

struct RecordingPlan {
  std::string path;  // absolute
  // To whom samples of virtual threads belong; empty: this JVM has none.
  std::string virtual_threads;
  Nanos chunk_time_ns = 60 * kNanosPerSecond;  // a chunk is sealed when it is this old,
  int64_t chunk_bytes = 64 << 20;              // or this large
  const VmStatics* vm = nullptr;               // never nullptr when used

  // A new file is begun this often; 0: all goes into one. Then `path_of` names the files that
  // follow, by number from 2 on, and whole files that are older, or more than fit, are removed.
  Nanos file_time_ns = 0;
  std::function<Result<std::string>(uint32_t number)> path_of = nullptr;
  Nanos max_age_ns = 0;   // 0: no limit
  int64_t max_bytes = 0;  // as above

  // Called on the recorder's thread when it has given up: has the recording stopped, without
  // waiting for that. False: not possible now, to be called again.
  std::function<bool()> stop_soon = nullptr;
};

}  // namespace jprof
