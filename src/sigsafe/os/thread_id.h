// The kernel's id of the calling thread. Async-signal-safe: one system call, errno kept.
#pragma once

#include "sigsafe/base/types.h"

namespace jprof {

Tid CurrentTid();

}  // namespace jprof
