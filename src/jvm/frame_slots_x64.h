// Slots of frames that HotSpot does not export, by release, in words from the frame pointer, as in
// src/hotspot/cpu/x86/frame_x86.hpp (jdk8u, jdk-11+28, jdk-17+35, jdk-25+36). Included as
// frame_slots.h.
#pragma once

namespace jprof {

// The slot of the JavaCallWrapper in an entry frame.
inline constexpr int kEntryWrapperSlot = -6;
// Returns the slot of the bytecode pointer in an interpreted frame. From JDK 9 on, the frame also
// has a slot for the java.lang.Class of the method.
constexpr int InterpreterBcpSlot(int java_release) { return java_release < 9 ? -7 : -8; }

}  // namespace jprof
