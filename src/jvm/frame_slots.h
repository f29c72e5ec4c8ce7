// Slots of frames that HotSpot does not export, by release and processor, in words from the frame
// pointer: facts of src/hotspot/cpu/{x86,aarch64}/frame_{x86,aarch64}.hpp (jdk8u, jdk-11+28,
// jdk-17+35, jdk-25+36).
#pragma once

namespace jprof {

#if defined(__aarch64__)
inline constexpr int kEntryWrapperSlot = -8;
// The mirror of the method's class came with JDK 9.
constexpr int InterpreterBcpSlot(int java_release) { return java_release < 9 ? -7 : -9; }
#else
inline constexpr int kEntryWrapperSlot = -6;
constexpr int InterpreterBcpSlot(int java_release) { return java_release < 9 ? -7 : -8; }
#endif

}  // namespace jprof
