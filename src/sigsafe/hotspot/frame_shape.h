// FrameShape: the layout of a Java frame on the stack, for this processor.
//
// Async-signal-safe. Offsets of slots are in words from the frame pointer; HotSpot does not export
// them (jdk-17+35 src/hotspot/cpu/x86/frame_x86.hpp, src/hotspot/cpu/aarch64/frame_aarch64.hpp).
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/code_cache.h"

namespace jprof {

inline constexpr int kWordSize = 8;

// Of frames with a frame pointer: interpreted ones, entries and most stubs.
inline constexpr int kSavedFpSlot = 0;
inline constexpr int kReturnSlot = 1;
// Of interpreted frames.
inline constexpr int kSenderSpSlot = -1;
inline constexpr int kMethodSlot = -3;

inline uint64_t Slot(uint64_t frame_pointer, int slot) {
  return frame_pointer + static_cast<uint64_t>(int64_t{slot} * kWordSize);
}

// The location of the caller's registers in a compiled frame or stub.
struct FrameShape {
  // Bytes from the stack pointer to the caller's stack pointer, behind the return address. 0: the
  // return address is in a register.
  uint64_t size;
  bool fp_saved;  // in the word below the return address
};

// Whether the instruction in front of `pc` is a call.
bool FollowsCall(uint64_t pc);

// Where the call that returns to `pc` leads. 0: no call in front of `pc` names its target.
uint64_t CallTarget(uint64_t pc);

// The target of a jump at `pc`, by which JDK 9 to 16 reach their stubs from the shared archive of
// classes (jdk-11+28 src/hotspot/share/runtime/sharedRuntime.cpp,
// AdapterHandlerLibrary::get_adapter). 0: other code.
uint64_t JumpTarget(uint64_t pc);

// How the interpreter leaves a method, once the frame pointer is the caller's again:
// pop ret; mov sender, %rsp; jmp ret. Numbers of registers are DWARF's.
struct PendingReturn {
  bool is_on_top;  // of the stack is the return address, else in a register
  uint8_t return_register;
  bool sender_is_sp;  // the stack pointer is the caller's, else it is in a register
  uint8_t sender_register;
};
[[nodiscard]] bool DecodePendingReturn(uint64_t pc, PendingReturn* to);

// At the edges of a stub with a frame pointer: 0 words lie below the return address, or 1, the
// caller's frame pointer. -1: `pc` is elsewhere.
int WordsBelowReturn(const CodeBlob& blob, uint64_t pc);

// Whether an adapter of compiled callers, at `pc`, has still to note its caller's stack pointer for
// the interpreter: the register has what others left in it (jdk-17+35 and jdk-25+36
// src/hotspot/cpu/x86/sharedRuntime_x86_64.cpp, gen_c2i_adapter).
bool NotesSenderLater(const CodeBlob& adapter, uint64_t pc);

// Whether `pc` is in code to which a compiled method's own calls lead, for it has to load a
// register on the way: the return address is on top of the stack, and the method is its caller.
bool IsCallTrampoline(uint64_t pc);

// Size of the vector registers saved at the stack pointer by code with the return address `pc`
// (jdk-17+35 src/hotspot/cpu/x86/macroAssembler_x86.cpp, pop_CPU_state). 0: no vector registers.
uint64_t SavedVectorBytes(uint64_t pc);

// Words pushed onto a complete frame for the call that returns to `pc`, judged by the code that
// pops them again.
int PushedForCall(uint64_t pc);

// Words that a compiled method of JDK 8 has pushed onto its complete frame at `sp`, to save all
// registers while it calls the VM for Math.sin, cos, tan, exp or pow. 0: it has saved none.
int SavedRegisterWords(uint64_t pc, uint64_t sp);

// Whether the code of `blob` begins with the setup of a frame pointer.
bool SetsUpFramePointer(const CodeBlob& blob);

// REQUIRES: `pc` is the next instruction to run, in `blob`.
FrameShape ShapeAt(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc);

}  // namespace jprof
