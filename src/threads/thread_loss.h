// ThreadLoss: the weight of samples of one thread that could not be recorded, by kind and reason.
#pragma once

#include <cstdint>

#include "sigsafe/base/lost_reason.h"
#include "sigsafe/base/types.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

struct ThreadLoss {
  uint32_t serial;
  Tid tid;
  SampleKind kind;
  LostReason reason;
  uint64_t weight;  // in the unit of the kind
};

}  // namespace jprof
