// From a frame to its caller: one function per kind of code.
//
// Async-signal-safe. Each moves the cursor to the caller, further up the stack, or is false and
// leaves it as it was: the memory is not what such a frame looks like.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/compiled_scopes.h"
#include "sigsafe/hotspot/java_frame_anchor.h"
#include "sigsafe/native/stack_memory.h"

namespace jprof {

struct StackCursor {
  uint64_t pc;
  uint64_t sp;
  uint64_t fp;
  PcMeaning meaning;
};

// The thread's stack above the interrupted code, and the VM that it belongs to.
struct WalkGround {
  const HotspotLayout& vm;
  StackBounds bounds;

  // Whether a walk at `from` may go on at `to`: upwards, on the stack.
  bool IsAbove(uint64_t from, uint64_t to) const { return to > from && to < bounds.high; }
};

// Registers of the interrupted code in which some code keeps what others have on the stack.
struct InterruptedRegisters {
  uint64_t return_address;  // 0: none
  uint64_t sender_sp;       // of a method that the interpreter is about to enter; 0: none
};

// Whether `pc` is where calls in a compiled method return to that was deoptimised meanwhile.
bool IsDeoptReturn(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc);

// Compiled methods, wrappers of native ones, and stubs with a frame of fixed size.
[[nodiscard]] bool ToCallerOfCompiled(const WalkGround& ground, const CodeBlob& blob,
                                      StackCursor* cursor);

// REQUIRES: HasInterpretedFrame.
[[nodiscard]] bool ToCallerOfInterpreted(const WalkGround& ground, StackCursor* cursor);

// Whether the frame pointer is that of an interpreted frame: its method, then.
[[nodiscard]] bool HasInterpretedFrame(const WalkGround& ground, const StackCursor& cursor,
                                       uint64_t* method);

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

// The call stub, by which the VM calls Java: goes to the Java frame that called the VM. *is_root:
// there is none.
[[nodiscard]] bool ToCallerOfEntry(const WalkGround& ground, bool* is_root, StackCursor* cursor);

// As above, to the VM's own frame that called.
[[nodiscard]] bool ToNativeCallerOfEntry(const WalkGround& ground, StackCursor* cursor);

// From the return barrier, past the frames in the heap, to the frame of the carrier that mounted
// the virtual thread. `entry`: the ContinuationEntry.
[[nodiscard]] bool ToMount(const WalkGround& ground, uint64_t entry, StackCursor* cursor);

// From one frame in a chunk to its caller there. REQUIRES: cursor->sp is below `end`. At the
// chunk's lowest frame cursor->sp becomes `end`.
[[nodiscard]] bool ToCallerInChunk(const WalkGround& ground, uint64_t end, StackCursor* cursor);

// The frame pointer of the interpreted frame above whose callee the stack pointer is, in a chunk:
// kept as a distance, because chunks move.
[[nodiscard]] bool LoadChunkFramePointer(uint64_t sp, uint64_t* fp);

// To the frame that the anchor names. False if it lies below the cursor.
[[nodiscard]] bool ToAnchor(const WalkGround& ground, const JavaFrameAnchor& anchor,
                            StackCursor* cursor);

}  // namespace jprof
