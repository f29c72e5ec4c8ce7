// Places that HotSpot does not export. A slot of a frame is a number of words from the frame
// pointer, as in src/hotspot/cpu/aarch64/frame_aarch64.hpp (jdk8u, jdk-11+28, jdk-17+35,
// jdk-25+36). Other files include frame_slots.h, which the build maps to this file.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>

namespace jprof {

// The slot of the JavaCallWrapper in an entry frame.
inline constexpr int kEntryWrapperSlot = -8;
// Returns the slot of the bytecode pointer in an interpreted frame. From JDK 9 on, the frame also
// has a slot for the java.lang.Class of the method.
constexpr int InterpreterBcpSlot(int java_release) { return java_release < 9 ? -7 : -9; }

// Returns DWARF's number of the register that has the caller's stack pointer while the interpreter
// enters a method: x13, and from JDK 20 on x19 (jdk-17+35 and jdk-25+36
// src/hotspot/cpu/aarch64/templateInterpreterGenerator_aarch64.cpp, generate_fixed_frame).
constexpr uint8_t SenderSpNumber(int java_release) { return java_release < 20 ? 13 : 19; }

// The number of bytes that ContinuationOffset reads.
inline constexpr uint64_t kReturnBarrierBytes = 8;

// Reads the code at the return barrier, `ldr x8, [x28, #offset]; mov sp, x8`, and returns its
// operand: the offset of the ContinuationEntry* in a JavaThread (jdk-21+35 src/hotspot/cpu/aarch64/
// stubGenerator_aarch64.cpp, generate_cont_thaw). Returns nullopt if the code is different.
// The operand has 12 bits and counts words, so the offset is aligned and below 32 768.
inline std::optional<uint32_t> ContinuationOffset(const uint8_t* code) {
  constexpr uint32_t kLoadX8FromX28 = 0xf9400388;  // the offset is in bits 10 to 21, in words
  constexpr uint32_t kOffsetBits = 0xfff;
  constexpr uint32_t kMoveX8ToSp = 0x9100011f;
  uint32_t words[2];
  memcpy(words, code, sizeof words);
  if ((words[0] & ~(kOffsetBits << 10)) != kLoadX8FromX28 || words[1] != kMoveX8ToSp) {
    return std::nullopt;
  }
  return (words[0] >> 10 & kOffsetBits) * 8;
}

}  // namespace jprof
