// Steps from a frame to its caller: one function per kind of code.
//
// Async-signal-safe. Each step moves the position to the caller, further up the stack, or returns
// false and leaves the position unchanged: the memory does not hold such a frame.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/java_method.h"
#include "sigsafe/hotspot/java_thread.h"
#include "sigsafe/stack/walk_context.h"

namespace jprof {

// The most words that C1 pushes onto its complete frame: arguments of a leaf stub, and a register
// (jdk-17+35 src/hotspot/cpu/x86/c1_LIRAssembler_x86.cpp, slow_subtype_check;
// src/hotspot/cpu/x86/gc/z/zBarrierSetAssembler_x86.cpp, generate_c1_load_barrier_stub).
inline constexpr int kMaxPushedWords = 3;

// Loads the word below `sp`: the return address, if `sp` is the stack pointer of a caller.
inline bool LoadReturnBelow(uint64_t sp, uint64_t* pc) { return GuardedLoad(sp - sizeof *pc, pc); }

// True if `pc` is the return address of a call in Java code or from the VM into Java code.
bool IsJavaReturn(const HotspotLayout& vm, uint64_t pc);

// True if `fp` is the frame pointer of an entry frame; *wrapper is then its JavaCallWrapper.
bool HasEntryWrapper(const WalkContext& context, uint64_t fp, uint64_t* wrapper);

// Finds the address of the anchor that an upcall stub keeps in its frame, for the Java frame that
// called the native code. False: the stub has not stored it yet, or no longer has a frame.
[[nodiscard]] bool FindUpcallAnchor(const WalkContext& context, const StackPosition& position,
                                    uint64_t* anchor);

// True if `pc` is the return address that deoptimisation has put into callees of a compiled method.
bool IsDeoptReturn(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc);

// Steps from compiled methods, wrappers of native methods, and stubs with a frame of fixed size.
[[nodiscard]] bool ToCallerOfCompiled(const WalkContext& context, const CodeBlob& blob,
                                      StackPosition* position);

// Steps from interpreted frames, including one that deoptimisation is making, which has a caller
// but no method yet.
[[nodiscard]] bool ToCallerOfInterpreted(const WalkContext& context, StackPosition* position);

// True if the interpreted frame of `method`, which the frame pointer names, can reach down to the
// stack pointer. Else the frame pointer is that of a frame further up: the interpreter is just
// entering or leaving a method whose caller is compiled.
bool IsTopmostInterpreted(const WalkContext& context, const StackPosition& position,
                          const JavaMethod& method);

// Loads the method of the interpreted frame at the frame pointer. False: there is no such frame.
[[nodiscard]] bool LoadInterpretedMethod(const WalkContext& context, const StackPosition& position,
                                         JavaMethod* method);

// Steps from a stub by which native code calls Java, and which has set up a frame pointer, to the
// native frame that called the stub.
[[nodiscard]] bool ToNativeCallerOfEntry(const WalkContext& context, StackPosition* position);

// Steps from the return barrier, past the frames in the heap, to the frame of the carrier that
// mounted the virtual thread. `entry` is the ContinuationEntry.
[[nodiscard]] bool ToMount(const WalkContext& context, uint64_t entry, StackPosition* position);

// True if the continuation of `entry`, a ContinuationEntry, is a virtual thread's own, and not one
// that the program runs itself.
bool IsVirtualThreadEntry(uint64_t entry);

// Returns the entry of the continuation that runs the continuation of `entry`. 0: none was found.
// `frame_size` is that of Continuation.enterSpecial, in words.
uint64_t ParentEntry(const WalkContext& context, uint64_t entry, int32_t frame_size);

// Steps from one frame in a chunk to its caller in the chunk. At the chunk's lowest frame
// position->sp becomes `end`. REQUIRES: position->sp is below `end`.
[[nodiscard]] bool ToCallerInChunk(const WalkContext& context, uint64_t end,
                                   StackPosition* position);

// Loads the frame pointer of the interpreted frame in a chunk that has the stack pointer `sp`. It
// is stored as a distance because chunks move.
[[nodiscard]] bool LoadChunkFramePointer(uint64_t sp, uint64_t* fp);

// Steps to the frame of the anchor. False: that frame lies below the position.
[[nodiscard]] bool ToAnchor(const WalkContext& context, const JavaFrameAnchor& anchor,
                            StackPosition* position);

}  // namespace jprof
