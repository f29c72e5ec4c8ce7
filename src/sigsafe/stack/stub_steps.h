// Steps to the caller from code whose frame has no known shape: stubs, adapters, the interpreter
// outside the frame of a method, compiled code before the setup of its frame.
//
// Async-signal-safe. As in vm_steps.h, each step moves the position to the caller, or returns false
// and leaves the position unchanged. A caller that was found by a search is accepted only if it is
// plausible: its own caller must be found too.
#pragma once

#include "sigsafe/stack/vm_steps.h"

namespace jprof {

// Values that interrupted code can have in registers; most code has them on the stack.
struct InterruptedRegisters {
  uint64_t return_address;  // 0 if it is not in a register
  uint64_t sender_sp;       // the caller's stack pointer; 0 in code that does not use it
  bool sender_is_noted;     // false if sender_sp might be a value of other code
  // True if sender_sp can only point to the return address, or be a value of other code.
  bool points_to_return = false;
};

// Tells to which frame the frame pointer belongs, in code with a frame of unknown shape.
// kPerhapsOwn: it might belong to the code's own frame. kCaller: it belongs to the frame of a
// caller.
enum class FpOwner : uint8_t { kPerhapsOwn, kCaller };

// Steps from stubs without a frame or with a frame pointer, compiled code before the setup of its
// frame, and interpreter code outside the frame of a method. Tries all places where such code can
// have its return address, and takes the first plausible caller.
[[nodiscard]] bool ToCallerByHeuristic(const WalkContext& context,
                                       const InterruptedRegisters& registers, FpOwner owner,
                                       StackPosition* position);

// Steps from the kinds of code that ToCallerByHeuristic is for, by a search further up the stack:
// the code might have pushed words.
[[nodiscard]] bool ToCallerBySearch(const WalkContext& context, StackPosition* position);

// Steps from a stub without a frame that compiled code has called, and that might have pushed a few
// words. The frame pointer is not used, because it can be that of an entry frame further up the
// stack.
[[nodiscard]] bool ToCallerNearby(const WalkContext& context, StackPosition* position);

// Moves to the caller at `to` if it is plausible.
[[nodiscard]] bool MoveIfPlausible(const WalkContext& context, const StackPosition& to,
                                   StackPosition* position);

// Moves from the stub `blob`, which has removed its frame, to the caller at `to`, if it is plausible.
// `to` can also be a handler of an exception: the stub has replaced its return address by that of
// the handler.
[[nodiscard]] bool ToCallerOrHandler(const WalkContext& context, const CodeBlob& blob,
                                     const StackPosition& to, StackPosition* position);

// Steps from the first instructions of the stub for polls in loops to the polled code. Fails at all
// other code.
[[nodiscard]] bool ToPolledCode(const WalkContext& context, const CodeBlob& blob,
                                StackPosition* position);

// Steps from a stub that has no frame and might have stored some registers, to the caller whose call
// has the first instruction of the blob as its target. A stored register can have an address that
// looks like a return address. C1's slow_subtype_check is such a stub (jdk-17+35
// src/hotspot/cpu/x86/c1_Runtime1_x86.cpp).
[[nodiscard]] bool ToCallerOfPushingStub(const WalkContext& context, const CodeBlob& blob,
                                         StackPosition* position);

// Steps from a stub at its first or last instructions, where its return address is on top of the
// stack or above the caller's frame pointer.
[[nodiscard]] bool ToCallerAtEdge(const WalkContext& context, const CodeBlob& blob,
                                  StackPosition* position);

// Steps from a call trampoline (IsCallTrampoline) in the compiled method `blob` to the call in the
// same method.
[[nodiscard]] bool ToCallSite(const CodeBlob& blob, StackPosition* position);

// Steps from a stub that has set up a frame pointer. The size of its frame can be unknown. The size
// can also differ from the declared one: while the stub saves and restores registers, and after it
// has lowered its stack pointer for a call.
[[nodiscard]] bool ToCallerOfFramedStub(const WalkContext& context, const CodeBlob& blob,
                                        StackPosition* position);

// Steps from a stub in a blob with several stubs. The stub has set up a frame pointer, and the return
// address above it follows a call to a stub nearby, or it is the entry barrier of a method. Any other
// word can be a return address that is left from an earlier call: stubs for Math functions lower
// their stack pointer by words that they do not write (jdk-25+36
// src/hotspot/cpu/x86/stubGenerator_x86_64_sin.cpp).
[[nodiscard]] bool ToCallerOfSharedStub(const WalkContext& context, const CodeBlob& blob,
                                        StackPosition* position);

// Steps from an adapter that has saved all registers and called the VM.
[[nodiscard]] bool ToCallerOfAdapter(const WalkContext& context, StackPosition* position);

// True if the frame pointer is that of an entry frame: a frame of the call stub, by which the VM
// calls Java.
bool HasEntryFrame(const WalkContext& context, const StackPosition& position);

// True if `pc` is in or near the call stub.
bool IsNearCallStub(const HotspotLayout& vm, uint64_t pc);

// Steps from a stub that VM code has called. The stub has no frame, or a frame with a frame
// pointer.
[[nodiscard]] bool ToNativeCallerOfStub(const WalkContext& context, StackPosition* position);

// Steps from code of the interpreter without a frame that has called a stub, to the compiled method
// that has called this code through an adapter.
[[nodiscard]] bool ToCompiledCallerOfEntry(const WalkContext& context, StackPosition* position);

// Steps from a stub without a frame that VM code has called, if libjvm is not among the known code
// yet.
[[nodiscard]] bool ToUnknownCallerOfStub(const WalkContext& context, StackPosition* position);

}  // namespace jprof
