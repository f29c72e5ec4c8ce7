// The Java class that probes in java.lang.VirtualThread call (java/VirtualProbes.java). Constant.
#pragma once

#include <cstdint>
#include <span>

namespace jprof {

extern const std::span<const uint8_t> kVirtualProbesBytes;

}  // namespace jprof
