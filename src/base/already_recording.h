// What the agent answers, and jprof looks for, where a recording is under way that must end first.
#pragma once

namespace jprof {

inline constexpr char kAlreadyRecording[] = "already recording";

}  // namespace jprof
