// HostileRecording makes recordings that follow the format but are hostile: their metadata,
// constants and events agree on bytes, not on meaning. Random bytes hardly ever form such
// recordings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace jprof::test {

// Returns a recording that depends only on `choices`. If there are none, the recording is as the
// JDK would write it. If they do not suffice, further choices are pseudorandom.
std::string HostileRecording(std::span<const uint8_t> choices);

}  // namespace jprof::test
