// The parts of a cpu sample that a library leaves out. `scripts/bench account` compares such
// libraries with each other and with the whole one, to find how much CPU time each part costs
// (cmake/AccountLibraries.cmake builds them). The library that users load leaves out nothing.
#pragma once

#include <cstdint>

namespace jprof {

// Each value leaves out its part and the parts of the values before it.
enum class LeftOut : uint8_t {
  kNothing,
  kWriting,  // the sample is walked, but neither accounted for nor stored
  kWalking,  // the handler finds the thread and measures its own time, and does nothing else
  kHandler,  // the handler returns at once
};

#ifdef JPROF_LEFT_OUT
inline constexpr LeftOut kLeftOutOfSamples = LeftOut::JPROF_LEFT_OUT;
#else
inline constexpr LeftOut kLeftOutOfSamples = LeftOut::kNothing;
#endif

}  // namespace jprof
