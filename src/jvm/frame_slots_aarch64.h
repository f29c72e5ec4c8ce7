// Slots of frames that HotSpot does not export, by release, in words from the frame pointer: facts
// of src/hotspot/cpu/aarch64/frame_aarch64.hpp (jdk8u, jdk-11+28, jdk-17+35, jdk-25+36). Included
// as frame_slots.h.
#pragma once

namespace jprof {

inline constexpr int kEntryWrapperSlot = -8;
// The mirror of the method's class came with JDK 9.
constexpr int InterpreterBcpSlot(int java_release) { return java_release < 9 ? -7 : -9; }

}  // namespace jprof
