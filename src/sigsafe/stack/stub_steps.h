// From code whose frame has no known shape to its caller: stubs, adapters, the interpreter at its
// edges, compiled code in front of its frame.
//
// Async-signal-safe. As vm_steps.h: each moves the cursor to the caller, or is false and leaves it
// as it was. Where a return address has to be looked for, one is taken whose own caller looks right
// too.
#pragma once

#include "sigsafe/stack/vm_steps.h"

namespace jprof {

// Registers of the interrupted code in which some code keeps what others have on the stack.
struct InterruptedRegisters {
  uint64_t return_address;  // 0: none
  uint64_t sender_sp;       // of a method that the interpreter is about to enter; 0: none
};

// Of code whose frame has no known shape: whose frame its frame pointer names.
enum class FpOwner : uint8_t { kPerhapsOwn, kCaller };

// Code whose frame has no known shape: stubs without a frame or with a frame pointer, compiled code
// in front of its frame, interpreter code outside a frame. Looks for a return address where such
// code has it, and takes the first whose own caller looks right as well.
[[nodiscard]] bool ToCallerNearby(const WalkGround& ground, const InterruptedRegisters& registers,
                                  FpOwner whose, StackCursor* cursor);

// The same further up, where such code has pushed something.
[[nodiscard]] bool ToCallerBySearch(const WalkGround& ground, StackCursor* cursor);

// A stub that has set up a frame pointer. The size of its frame may not be known, or not be what it
// has: while it saves and restores registers, and where it has lowered its stack pointer for a
// call.
[[nodiscard]] bool ToCallerOfFramedStub(const WalkGround& ground, const CodeBlob& blob,
                                        StackCursor* cursor);

// An adapter that has called the VM, and saved all registers before.
[[nodiscard]] bool ToCallerOfAdapter(const WalkGround& ground, StackCursor* cursor);

// Whether the frame pointer is that of the call stub.
bool HasEntryFrame(const WalkGround& ground, const StackCursor& cursor);

// Whether `pc` is in or near the call stub, where a frame of the VM calls Java.
bool IsNearCallStub(const HotspotLayout& vm, uint64_t pc);

// A stub that the VM's own code has called: it has no frame, or a frame pointer.
[[nodiscard]] bool ToNativeCallerOfStub(const WalkGround& ground, StackCursor* cursor);

// The same without a frame, where the VM's unwind tables are not there yet.
[[nodiscard]] bool ToUnknownCallerOfStub(const WalkGround& ground, StackCursor* cursor);

}  // namespace jprof
