// HostileRecording: recordings that follow the format and mean harm: metadata, constants and events
// that agree with each other on bytes, not on meaning. What random bytes hardly ever become.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace jprof::test {

// The same bytes give the same recording. No bytes: a recording as the JDK would write it. Few
// bytes are continued at random.
std::string HostileRecording(std::span<const uint8_t> choices);

}  // namespace jprof::test
