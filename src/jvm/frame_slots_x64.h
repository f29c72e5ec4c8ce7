// Places that HotSpot does not export. A slot of a frame is a number of words from the frame
// pointer, as in src/hotspot/cpu/x86/frame_x86.hpp (jdk8u, jdk-11+28, jdk-17+35, jdk-25+36). Other
// files include frame_slots.h, which the build maps to this file.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>

namespace jprof {

// The slot of the JavaCallWrapper in an entry frame.
inline constexpr int kEntryWrapperSlot = -6;
// Returns the slot of the bytecode pointer in an interpreted frame. From JDK 9 on, the frame also
// has a slot for the java.lang.Class of the method.
constexpr int InterpreterBcpSlot(int java_release) { return java_release < 9 ? -7 : -8; }

// The number of bytes that ContinuationOffset reads.
inline constexpr uint64_t kReturnBarrierBytes = 7;
// A JavaThread has fewer bytes.
inline constexpr uint32_t kMaxThreadBytes = 1 << 15;

// Reads the code at the return barrier, `mov rsp, [r15 + offset]`, and returns its operand: the
// offset of the ContinuationEntry* in a JavaThread (jdk-21+35
// src/hotspot/cpu/x86/stubGenerator_x86_64.cpp, generate_cont_thaw). Returns nullopt if the code is
// different, or if the operand is not a multiple of 8 below kMaxThreadBytes.
inline std::optional<uint32_t> ContinuationOffset(const uint8_t* code) {
  constexpr uint8_t kMovRspFromR15[] = {0x49, 0x8b, 0xa7};
  if (memcmp(code, kMovRspFromR15, sizeof kMovRspFromR15) != 0) return std::nullopt;
  uint32_t offset = 0;
  memcpy(&offset, code + sizeof kMovRspFromR15, sizeof offset);
  if (offset % sizeof(uint64_t) != 0 || offset >= kMaxThreadBytes) return std::nullopt;
  return offset;
}

// DWARF's number of the register that has the caller's stack pointer while the interpreter enters a
// method: r13 (jdk-17+35 src/hotspot/cpu/x86/templateInterpreterGenerator_x86.cpp,
// generate_normal_entry).
constexpr uint8_t SenderSpNumber(int) { return 13; }

}  // namespace jprof
