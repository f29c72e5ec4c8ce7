// RecordingPlan: what is to be recorded, and where.
#pragma once

#include <string>

#include "jvm/vm_structs.h"
#include "sigsafe/base/types.h"

namespace jprof {

struct RecordingPlan {
  std::string path;           // absolute
  Nanos cpu_interval_ns = 0;  // 0: not sampled
  Nanos wall_interval_ns = 0;
  std::string cpu_engine;                      // what samples CPU time and why: CpuChoice::text
  Nanos chunk_time_ns = 60 * kNanosPerSecond;  // a chunk is sealed when it is this old,
  int64_t chunk_bytes = 64 << 20;              // or this large
  const VmStatics* vm = nullptr;               // never nullptr when used
};

}  // namespace jprof
