// The bits of ASGST_Capabilities (include/profiler/asgst.h).
#pragma once

#include <cstdint>

namespace jprof::asgst {

inline constexpr int32_t kRegisterQueue = 1;
inline constexpr int32_t kIterators = 0x10000;
inline constexpr int32_t kJMethodIdToMethod = 0x20000;
inline constexpr int32_t kIteratorOfThread = 0x40000;
inline constexpr int32_t kClassUnload = 0x80000;
inline constexpr int32_t kWholeQueuedStacks = 0x100000;
inline constexpr int32_t kApproximateQueuedStacks = 0x200000;

}  // namespace jprof::asgst
