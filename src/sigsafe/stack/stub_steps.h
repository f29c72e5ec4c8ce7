// Steps to the caller from code without a known frame shape: stubs, adapters, the interpreter at
// its edges, compiled code before the setup of its frame.
//
// Async-signal-safe. As in vm_steps.h, each step moves the position to the caller, or returns false
// and leaves it unchanged. A return address that was found by a search counts only if the next
// caller is plausible too.
#pragma once

#include "sigsafe/stack/vm_steps.h"

namespace jprof {

// Registers in which some interrupted code keeps values that other code has on the stack.
struct InterruptedRegisters {
  uint64_t return_address;  // 0: none
  uint64_t sender_sp;       // set while the interpreter enters a method; 0: none
  bool sender_is_noted;     // false: the register might have a value of other code
};

// The possible owner of the frame pointer, in code with a frame of unknown shape.
enum class FpOwner : uint8_t { kPerhapsOwn, kCaller };

// Steps from stubs without a frame or with a frame pointer, compiled code before the setup of its
// frame, and interpreter code outside a frame. Tries the places where such code has its return
// address, and takes the first with a plausible next caller.
[[nodiscard]] bool ToCallerByHeuristic(const WalkContext& context,
                                       const InterruptedRegisters& registers, FpOwner owner,
                                       StackPosition* position);

// Steps from such code by a search further up the stack: the code might have pushed words.
[[nodiscard]] bool ToCallerBySearch(const WalkContext& context, StackPosition* position);

// Steps from a stub without a frame that compiled code has called, and that might have pushed a few
// words. The frame pointer can then be that of the entry frame further up.
[[nodiscard]] bool ToCallerNearby(const WalkContext& context, StackPosition* position);

// Moves to `to`, if a caller there is plausible: if it has a caller, too.
[[nodiscard]] bool MoveIfPlausible(const WalkContext& context, const StackPosition& to,
                                   StackPosition* position);

// Steps from a stub at its first or last instructions, where its return address is on top of the
// stack or above the caller's frame pointer.
[[nodiscard]] bool ToCallerAtEdge(const WalkContext& context, const CodeBlob& blob,
                                  StackPosition* position);

// Steps from the code of a compiled method through which its own calls go, to the call.
[[nodiscard]] bool ToCallSite(const CodeBlob& blob, StackPosition* position);

// Steps from a stub that has set up a frame pointer. The size of its frame can be unknown, or
// different from the declared size: while the stub saves and restores registers, and where it has
// lowered its stack pointer for a call.
[[nodiscard]] bool ToCallerOfFramedStub(const WalkContext& context, const CodeBlob& blob,
                                        StackPosition* position);

// Steps from an adapter that has saved all registers and called the VM.
[[nodiscard]] bool ToCallerOfAdapter(const WalkContext& context, StackPosition* position);

// True if the frame pointer belongs to a frame of the call stub.
bool HasEntryFrame(const WalkContext& context, const StackPosition& position);

// True if `pc` is in or near the call stub, by which the VM calls Java.
bool IsNearCallStub(const HotspotLayout& vm, uint64_t pc);

// Steps from a stub called by VM code, which has no frame, or a frame pointer.
[[nodiscard]] bool ToNativeCallerOfStub(const WalkContext& context, StackPosition* position);

// Steps from a stub called by VM code, without a frame, while the VM's unwind tables are not
// compiled yet.
[[nodiscard]] bool ToUnknownCallerOfStub(const WalkContext& context, StackPosition* position);

}  // namespace jprof
