// Steps from a frame to its caller: one function per kind of code.
//
// Async-signal-safe. Each step moves the position to the caller, further up the stack. If the
// memory contains no such frame, the step returns false and leaves the position unchanged.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/java_method.h"
#include "sigsafe/hotspot/java_thread.h"
#include "sigsafe/stack/walk_context.h"

namespace jprof {

// The maximum number of words that code of C1 pushes onto its complete frame: registers, and arguments
// of a leaf stub (jdk-17+35 src/hotspot/cpu/x86/c1_LIRAssembler_x86.cpp, emit_arraycopy: 2 and 2;
// src/hotspot/cpu/x86/gc/z/zBarrierSetAssembler_x86.cpp, generate_c1_load_barrier_stub: 1 and 2).
inline constexpr int kMaxPushedWords = 4;

// Loads the word below `sp`: the return address, if `sp` is the stack pointer of a caller.
inline bool LoadReturnBelow(uint64_t sp, uint64_t* pc) { return GuardedLoad(sp - sizeof *pc, pc); }

// True if `pc` is the return address of a call in Java code or from the VM into Java code.
bool IsJavaReturn(const HotspotLayout& vm, uint64_t pc);

// True if `fp` is the frame pointer of an entry frame; *wrapper is then its JavaCallWrapper.
bool HasEntryWrapper(const WalkContext& context, uint64_t fp, uint64_t* wrapper);

// Finds the anchor in the frame of an upcall stub. The anchor has the position of the Java frame
// that called the native code. Returns false if the stub has not stored the anchor yet, or has no
// frame any more.
[[nodiscard]] bool FindUpcallAnchor(const WalkContext& context, const StackPosition& position,
                                    uint64_t* anchor);

// True if `pc` is the address of a deoptimisation handler of `blob`. Deoptimisation replaces return
// addresses into a compiled method by the address of its handler.
bool IsDeoptReturn(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc);

// Steps from compiled methods, wrappers of native methods, and stubs with a frame of fixed size.
[[nodiscard]] bool ToCallerOfCompiled(const WalkContext& context, const CodeBlob& blob,
                                      StackPosition* position);

// Steps from interpreted frames, also from a frame that deoptimisation is still making: such a
// frame has a caller already, but no method yet.
[[nodiscard]] bool ToCallerOfInterpreted(const WalkContext& context, StackPosition* position);

// True if the interpreted frame of `method` at the frame pointer can reach down to the stack
// pointer. If it cannot, the interpreter is just entering or leaving a method with a compiled
// caller, and the frame pointer is still that of an interpreted frame further up the stack.
bool IsTopmostInterpreted(const WalkContext& context, const StackPosition& position,
                          const JavaMethod& method);

// Loads the method of the interpreted frame at the frame pointer. Returns false if no such frame is
// there.
[[nodiscard]] bool LoadInterpretedMethod(const WalkContext& context, const StackPosition& position,
                                         JavaMethod* method);

// Steps to the native caller of a stub by which native code calls Java. The stub has set up a frame
// pointer.
[[nodiscard]] bool ToNativeCallerOfEntry(const WalkContext& context, StackPosition* position);

// Steps from the return barrier to the carrier's frame that mounted the virtual thread, and so
// leaves out the frames in the heap. `entry` is the address of the ContinuationEntry.
[[nodiscard]] bool ToMount(const WalkContext& context, uint64_t entry, StackPosition* position);

// True if the ContinuationEntry at `entry` belongs to a virtual thread's own continuation; false if
// it belongs to a continuation that the program itself runs.
bool IsVirtualThreadEntry(uint64_t entry);

// Returns the ContinuationEntry of the outer continuation, in which the continuation of `entry`
// runs; 0 if none was found. `frame_size` is that of Continuation.enterSpecial, in words.
uint64_t ParentEntry(const WalkContext& context, uint64_t entry, int32_t frame_size);

// Steps from one frame in a chunk to its caller in the chunk. After a step from the chunk's
// outermost frame, position->sp is `end`. REQUIRES: position->sp is below `end`.
[[nodiscard]] bool ToCallerInChunk(const WalkContext& context, uint64_t end,
                                   StackPosition* position);

// Loads the frame pointer of an interpreted frame in a chunk. The frame has the stack pointer `sp`.
// Its frame pointer is stored as a distance, because chunks move.
[[nodiscard]] bool LoadChunkFramePointer(uint64_t sp, uint64_t* fp);

// Steps to the Java frame of the anchor. Returns false if that frame does not lie above the
// position.
[[nodiscard]] bool ToAnchor(const WalkContext& context, const JavaFrameAnchor& anchor,
                            StackPosition* position);

}  // namespace jprof
