// MethodKey: the key of a traced method in the recording.
//
// The recorder's thread.
#pragma once

#include <cstdint>

#include "jfr/writer/constant_pools.h"

namespace jprof {

// 0: the number is of a recording before.
uint32_t MethodKey(uint32_t number, ConstantPools& pools);

}  // namespace jprof
