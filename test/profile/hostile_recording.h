// HostileRecording makes hostile recordings that follow the format. Their metadata, constants and
// events agree on the positions of bytes, but not on their meaning. Random bytes hardly ever form
// such recordings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace jprof::test {

// Returns a recording that depends only on `choices`. If `choices` is empty, the recording is as
// the JDK would write it. If `choices` is too short, the missing choices are pseudorandom.
std::string HostileRecording(std::span<const uint8_t> choices);

}  // namespace jprof::test
