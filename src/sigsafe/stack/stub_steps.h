// From code without a known frame shape to its caller: stubs, adapters, the interpreter at its
// edges, compiled code before the setup of its frame.
//
// Async-signal-safe. As in vm_steps.h, each function moves the position to the caller, or returns
// false and leaves it unchanged. A return address that was searched for counts only if the next
// caller is plausible too.
#pragma once

#include "sigsafe/stack/vm_steps.h"

namespace jprof {

// Registers in which some interrupted code keeps values that other code has on the stack.
struct InterruptedRegisters {
  uint64_t return_address;  // 0: none
  uint64_t sender_sp;       // while the interpreter enters a method; 0: none
  bool sender_is_noted;     // false: the register may have what other code has left in it
};

// The possible owner of the frame pointer, in code with a frame of unknown shape.
enum class FpOwner : uint8_t { kPerhapsOwn, kCaller };

// For stubs without a frame or with a frame pointer, compiled code before the setup of its frame,
// interpreter code outside a frame. Tries the places where such code has its return address, and
// takes the first with a plausible next caller.
[[nodiscard]] bool ToCallerByHeuristic(const WalkContext& context,
                                       const InterruptedRegisters& registers, FpOwner owner,
                                       StackPosition* position);

// As above, searching further up the stack: such code may have pushed words.
[[nodiscard]] bool ToCallerBySearch(const WalkContext& context, StackPosition* position);

// For a stub without a frame that compiled code has called, and that may have pushed a few words.
// The frame pointer may then be that of the entry frame further up.
[[nodiscard]] bool ToCallerNearby(const WalkContext& context, StackPosition* position);

// To `to`, if a caller there looks right: if it has a caller, too.
[[nodiscard]] bool MoveIfPlausible(const WalkContext& context, const StackPosition& to,
                                   StackPosition* position);

// For a stub at its first or last instructions, where its return address is on top of the stack or
// below a frame pointer.
[[nodiscard]] bool ToCallerAtEdge(const WalkContext& context, const CodeBlob& blob,
                                  StackPosition* position);

// For the code of a compiled method through which its own calls go: to the call.
[[nodiscard]] bool ToCallSite(const CodeBlob& blob, StackPosition* position);

// For a stub that has set up a frame pointer. The size of its frame may be unknown, or different
// from the declared size: while the stub saves and restores registers, and where it has lowered its
// stack pointer for a call.
[[nodiscard]] bool ToCallerOfFramedStub(const WalkContext& context, const CodeBlob& blob,
                                        StackPosition* position);

// For an adapter that has saved all registers and called the VM.
[[nodiscard]] bool ToCallerOfAdapter(const WalkContext& context, StackPosition* position);

// Whether the frame pointer belongs to a frame of the call stub.
bool HasEntryFrame(const WalkContext& context, const StackPosition& position);

// Whether `pc` is in or near the call stub, by which the VM calls Java.
bool IsNearCallStub(const HotspotLayout& vm, uint64_t pc);

// For a stub called by VM code: it has no frame, or a frame pointer.
[[nodiscard]] bool ToNativeCallerOfStub(const WalkContext& context, StackPosition* position);

// As above, without a frame, while the VM's unwind tables are not compiled yet.
[[nodiscard]] bool ToUnknownCallerOfStub(const WalkContext& context, StackPosition* position);

}  // namespace jprof
