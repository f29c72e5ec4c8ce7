// WallPayload: the payload of a wall sample.
#pragma once

#include "sigsafe/base/sample_kinds.h"
#include "sigsafe/base/types.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// Packed: a stored sample takes 48 bytes instead of 56.
struct [[gnu::packed]] WallPayload {
  static constexpr SampleKind kKind = SampleKind::kWall;

  Nanos elapsed_ns;  // elapsed since the previous sample
  ThreadActivity activity;
};

}  // namespace jprof
