// FrameShape: the layout of a Java frame on the stack, for this processor.
//
// Async-signal-safe. Offsets of slots are in words from the frame pointer; HotSpot does not export
// them (jdk-17+35 src/hotspot/cpu/x86/frame_x86.hpp, src/hotspot/cpu/aarch64/frame_aarch64.hpp).
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/code_cache.h"

namespace jprof {

inline constexpr int kWordSize = 8;

// The slots of frames with a frame pointer: interpreted frames, entries and most stubs.
inline constexpr int kSavedFpSlot = 0;
inline constexpr int kReturnSlot = 1;
// The slots of interpreted frames only.
inline constexpr int kSenderSpSlot = -1;
inline constexpr int kMethodSlot = -3;

inline uint64_t Slot(uint64_t frame_pointer, int slot) {
  return frame_pointer + static_cast<uint64_t>(int64_t{slot} * kWordSize);
}

// The location of the caller's registers in a compiled frame or stub.
struct FrameShape {
  // The bytes from the stack pointer to the caller's stack pointer, which is above the return
  // address. 0: the return address is in a register.
  uint64_t size;
  bool fp_saved;  // true: the caller's frame pointer is in the word below the return address
};

// True if the instruction before `pc` is a call.
bool FollowsCall(uint64_t pc);

// Returns the target of the call that returns to `pc`. 0: no call before `pc` names its target.
uint64_t CallTarget(uint64_t pc);

// Returns the target of a jump at `pc`, by which JDK 9 to 16 reach their stubs from the shared
// archive of classes (jdk-11+28 src/hotspot/share/runtime/sharedRuntime.cpp,
// AdapterHandlerLibrary::get_adapter). 0: other code.
uint64_t JumpTarget(uint64_t pc);

// The last instructions of the interpreter in a method, once the frame pointer is the caller's
// again: pop ret; mov sender, %rsp; jmp ret. Numbers of registers are DWARF's.
struct PendingReturn {
  bool is_on_top;  // true: the return address is on top of the stack; else in a register
  uint8_t return_register;
  bool sender_is_sp;  // true: the stack pointer is the caller's; else a register has that
  uint8_t sender_register;
};
[[nodiscard]] bool DecodePendingReturn(uint64_t pc, PendingReturn* to);

// Returns the words below the return address at the edges of a stub with a frame pointer: 0, or 1
// for the caller's frame pointer. -1: `pc` is elsewhere.
int WordsBelowReturn(const CodeBlob& blob, uint64_t pc);

// True if an adapter for compiled callers, at `pc`, has yet to note its caller's stack pointer for
// the interpreter: the register still has a value of other code (jdk-17+35 and jdk-25+36
// src/hotspot/cpu/x86/sharedRuntime_x86_64.cpp, gen_c2i_adapter).
bool NotesSenderLater(const CodeBlob& adapter, uint64_t pc);

// True if `pc` is in code through which a compiled method's own calls go, because it has to load a
// register first: the return address is on top of the stack, and the method is its caller.
bool IsCallTrampoline(uint64_t pc);

// Returns the size of the vector registers saved at the stack pointer by code with the return
// address `pc` (jdk-17+35 src/hotspot/cpu/x86/macroAssembler_x86.cpp, pop_CPU_state). 0: no vector
// registers.
uint64_t SavedVectorBytes(uint64_t pc);

// Returns the number of words pushed onto a complete frame for the call that returns to `pc`,
// judged by the code that pops them again.
int PushedForCall(uint64_t pc);

// Returns the number of words that a compiled method of JDK 8 has pushed onto its complete frame at
// `sp`, to save all registers while it calls the VM for Math.sin, cos, tan, exp or pow. 0: it has
// saved none.
int SavedRegisterWords(uint64_t pc, uint64_t sp);

// True if the code of `blob` starts with the setup of a frame pointer.
bool SetsUpFramePointer(const CodeBlob& blob);

// Returns the shape of the frame at `pc`. REQUIRES: `pc` is the next instruction to run, in `blob`.
FrameShape ShapeAt(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc);

}  // namespace jprof
