// From code whose frame has no known shape to its caller: stubs, adapters, the interpreter at its
// edges, compiled code in front of its frame.
//
// Async-signal-safe. As vm_steps.h: each moves the position to the caller, or is false and leaves
// it as it was. Where a return address has to be looked for, an address counts if the caller of
// that caller looks right too.
#pragma once

#include "sigsafe/stack/vm_steps.h"

namespace jprof {

// Registers of the interrupted code in which some code keeps what others have on the stack.
struct InterruptedRegisters {
  uint64_t return_address;  // 0: none
  uint64_t sender_sp;       // of a method that the interpreter is about to enter; 0: none
};

// Of code with a frame of unknown shape: the frame that its frame pointer may name.
enum class FpOwner : uint8_t { kPerhapsOwn, kCaller };

// Code whose frame has no known shape: stubs without a frame or with a frame pointer, compiled code
// in front of its frame, interpreter code outside a frame. Looks for a return address where such
// code has it, and takes the first whose own caller looks right as well.
[[nodiscard]] bool ToCallerByHeuristic(const WalkContext& context,
                                       const InterruptedRegisters& registers, FpOwner owner,
                                       StackPosition* position);

// The same further up, where such code has pushed something.
[[nodiscard]] bool ToCallerBySearch(const WalkContext& context, StackPosition* position);

// A stub that has set up a frame pointer. The size of its frame may not be known, or not be what it
// has: while it saves and restores registers, and where it has lowered its stack pointer for a
// call.
[[nodiscard]] bool ToCallerOfFramedStub(const WalkContext& context, const CodeBlob& blob,
                                        StackPosition* position);

// An adapter that has called the VM, and saved all registers before.
[[nodiscard]] bool ToCallerOfAdapter(const WalkContext& context, StackPosition* position);

// Whether the frame pointer is that of the call stub.
bool HasEntryFrame(const WalkContext& context, const StackPosition& position);

// Whether `pc` is in or near the call stub, where a frame of the VM calls Java.
bool IsNearCallStub(const HotspotLayout& vm, uint64_t pc);

// A stub that the VM's own code has called: it has no frame, or a frame pointer.
[[nodiscard]] bool ToNativeCallerOfStub(const WalkContext& context, StackPosition* position);

// The same without a frame, where the VM's unwind tables are not there yet.
[[nodiscard]] bool ToUnknownCallerOfStub(const WalkContext& context, StackPosition* position);

}  // namespace jprof
