// FrameShape: the layout of a Java frame on the stack, for this processor.
//
// Async-signal-safe. Offsets of slots are in words from the frame pointer; HotSpot does not export
// them (jdk-17+35 src/hotspot/cpu/x86/frame_x86.hpp, src/hotspot/cpu/aarch64/frame_aarch64.hpp).
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/code_cache.h"

namespace jprof {

// The slots of frames with a frame pointer: interpreted frames, entry frames and frames of most
// stubs.
inline constexpr int kSavedFpSlot = 0;
inline constexpr int kReturnSlot = 1;
// The slots of interpreted frames only.
inline constexpr int kSenderSpSlot = -1;
// Not 0 while the frame's method calls another method (frame::interpreter_frame_last_sp_offset).
inline constexpr int kLastSpSlot = -2;
inline constexpr int kMethodSlot = -3;

inline uint64_t Slot(uint64_t frame_pointer, int slot) {
  return frame_pointer + static_cast<uint64_t>(int64_t{slot} * kWordSize);
}

// The location of the caller's registers in the frame of a compiled method or a stub.
struct FrameShape {
  // The number of bytes from the stack pointer to the caller's stack pointer (the address above the
  // return address); 0 if the return address is in a register.
  uint64_t size;
  bool fp_saved;  // true if the caller's frame pointer is in the word below the return address
};

// True if the instruction before `pc` is a call.
bool FollowsCall(uint64_t pc);

// Returns the target of the call that returns to `pc`; 0 if `pc` follows no call, or a call whose
// target is not in the code.
uint64_t CallTarget(uint64_t pc);

// Returns the target of the jump at `pc`, if it is one of the jumps by which, in JDK 9 to 16,
// methods in the shared archive of classes reach their stubs (jdk-11+28
// src/hotspot/share/runtime/sharedRuntime.cpp, AdapterHandlerLibrary::get_adapter); else 0.
uint64_t JumpTarget(uint64_t pc);

// The places of the return address and of the caller's stack pointer at one of the last
// instructions with which the interpreter leaves a method: `pop ret; mov sender, %rsp; jmp *ret`,
// where `ret` and `sender` are registers. The frame pointer is already the caller's. Register
// numbers are DWARF's.
struct PendingReturn {
  bool is_on_top;  // true if the return address is on top of the stack, else in return_register
  uint8_t return_register;
  bool sender_is_sp;  // true if the caller's stack pointer is in %rsp, else in sender_register
  uint8_t sender_register;
};
// Decodes the instructions at `pc`. Returns false if the interpreter does not leave a method there.
[[nodiscard]] bool DecodePendingReturn(uint64_t pc, PendingReturn* to);

// The places of the return address, of the caller's frame pointer and of the caller's stack pointer,
// in words from the stack pointer, in code that has removed the frame of a method because of an
// exception, and has called the VM to find the caller's handler.
struct PendingThrow {
  int return_slot;
  int fp_slot;  // -1 if the frame pointer is in its register
  int words;
};
// Decodes the instructions at `pc`, the return address of that call. Returns false at all other
// code. Such code is in the interpreter, in C1's stub unwind_exception, in the stub
// forward_exception, in the return barrier for exceptions, and in Continuation.enterSpecial
// (jdk-17+35 src/hotspot/cpu/x86/{templateInterpreterGenerator_x86,c1_Runtime1_x86,
// stubGenerator_x86_64}.cpp; jdk-25+36 stubGenerator_x86_64.cpp, generate_cont_thaw, and
// sharedRuntime_x86_64.cpp, gen_continuation_enter).
[[nodiscard]] bool DecodePendingThrow(uint64_t pc, PendingThrow* to);

// True if the code has no frame at `pc` and an address in its caller is in a register, whose DWARF
// number is *number. The caller's stack pointer is *bytes above the stack pointer.
//
// On x86-64 this is true in a few stubs. C2's stub for exceptions is such a stub at its first
// instruction, which pushes the address as the return address, and at its last instructions, which
// jump to the handler of the exception (jdk-17+35 and jdk-25+36 src/hotspot/cpu/x86/,
// generate_exception_blob). Other stubs pop the return address into a register, and jump to it
// (c1_Runtime1_x86.cpp, handle_exception_from_callee_id). On AArch64 it is true in all code, compiled
// methods included, that has not saved the link register yet or has restored it.
bool HasReturnInRegister(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc,
                         uint8_t* number, uint64_t* bytes);

// If `pc` is one of the first or last instructions of a stub with a frame pointer, returns the
// number of words on the stack below the return address: 1 if the caller's frame pointer is there,
// else 0. Returns -1 at all other instructions.
int WordsBelowReturn(const CodeBlob& blob, uint64_t pc);

// True if `pc` is at the end of the return barrier, where the stack pointer moves to the frames that the
// VM has copied back from the heap (jdk-21+35 src/hotspot/cpu/x86/stubGenerator_x86_64.cpp,
// generate_cont_thaw). The register with the DWARF number *number has the stack pointer of the frame
// to which the barrier returns; the return address is below it.
bool IsEndOfThaw(uint64_t pc, uint8_t* number);

// True if the stub has a frame, sets it up later than at its first instruction, and has not done so at
// `pc`. C1's stub that registers an object with a finalizer first tests whether the class has one
// (jdk-17+35 src/hotspot/cpu/x86/c1_Runtime1_x86.cpp, register_finalizer_id). C1's stubs of JDK 8 and
// 11 that allocate first try it without the VM (jdk8u, the same file, new_type_array_id).
bool IsBeforeFrame(const CodeBlob& blob, uint64_t pc);

// If `pc` is one of the first instructions of the stub for polls in loops, sets the stack pointer and
// the frame pointer to their values in the polled code. Returns false at all other instructions. The
// VM continues a thread that has faulted at a poll at the first instruction of this stub, without a
// return address. The stub makes its frame on the frame of the polled code, and stores the pc of the
// poll there later (jdk-17+35 src/hotspot/cpu/x86/sharedRuntime_x86_64.cpp,
// src/hotspot/cpu/aarch64/sharedRuntime_aarch64.cpp, generate_handler_blob).
[[nodiscard]] bool FindPolledFrame(const CodeBlob& blob, uint64_t pc, uint64_t* sp, uint64_t* fp);

// If a compiled method, whose frame has been removed, jumps to other code at `pc`, returns the target
// of the jump; else 0. C2's methods jump to the stub that throws an exception again in their caller
// (jdk-17+35 src/hotspot/cpu/x86/x86_64.ad, RethrowException).
uint64_t TailJumpTarget(const CodeBlob& blob, uint64_t pc);

// True if an adapter from compiled to interpreted code has not yet stored its caller's stack
// pointer in the register in which the interpreter expects it: at `pc`, the register still has a
// value of other code (jdk-17+35 and jdk-25+36 src/hotspot/cpu/x86/sharedRuntime_x86_64.cpp,
// gen_c2i_adapter).
bool NotesSenderLater(const CodeBlob& adapter, uint64_t pc);

// True if `pc` is in a call trampoline: code in a compiled method that loads a register and then
// jumps to the callee. The method has called the trampoline, so the return address is on top of the
// stack.
bool IsCallTrampoline(uint64_t pc);

// Returns the size in bytes of the vector registers that were saved at the stack pointer before the
// call that returns to `pc`. The code at `pc` restores them (jdk-17+35
// src/hotspot/cpu/x86/macroAssembler_x86.cpp, pop_CPU_state). Returns 0 if none were saved.
uint64_t SavedVectorBytes(uint64_t pc);

// Returns the number of words that a compiled method of JDK 8 has pushed onto its complete frame,
// if the method has saved all registers to call the VM for Math.sin, cos, tan, exp or pow; else 0.
// `sp` is the stack pointer below these words.
int SavedRegisterWords(uint64_t pc, uint64_t sp);

// True if the code at `pc` loads the stack pointer from the word at `offset` in the JavaThread, as
// the code at a return barrier does first (jdk-21+35 src/hotspot/cpu/x86/stubGenerator_x86_64.cpp,
// generate_cont_thaw).
bool LoadsStackPointer(uint64_t pc, uint32_t offset);

// True if the code at `entry` starts with the setup of a frame pointer.
bool SetsUpFramePointer(uint64_t entry);

// Returns the shape of the frame at `pc`. REQUIRES: `pc` is the next instruction to run, in `blob`.
FrameShape ShapeAt(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc);

}  // namespace jprof
