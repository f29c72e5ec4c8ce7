// kRelaxed: the memory order of values that publish no other value.
#pragma once

#include <atomic>

namespace jprof {

inline constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace jprof
