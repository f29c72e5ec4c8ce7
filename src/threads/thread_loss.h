// ThreadLoss: intervals of one thread that were due and could not be recorded.
#pragma once

#include <cstdint>

#include "sigsafe/base/lost_reason.h"
#include "sigsafe/base/types.h"
#include "sigsafe/threads/profiled_thread.h"

namespace jprof {

struct ThreadLoss {
  uint32_t serial;
  Tid tid;
  SampleKind kind;
  LostReason reason;
  uint64_t intervals;
};

}  // namespace jprof
