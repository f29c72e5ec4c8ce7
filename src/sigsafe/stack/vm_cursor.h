// VmCursor: the stack of a Java thread, read from the memory of HotSpot, a frame at a time, callee
// first: from where the walk starts to the entry of the thread, or of the virtual thread that it
// runs, each frame with the way its code is run.
//
//   VmCursor cursor(context, start, WalkUntil::kThreadEntry);
//   VmStep step = cursor.Step();
//   for (; step == VmStep::kFrame; step = cursor.Step()) Use(cursor.frame());
//
// Async-signal-safe; before any guard is taken. An object of one walk, about 1.5 KiB. Guarantees
//  1. Every walk ends, whatever the memory says: all but a few steps go up the stack.
//  2. Nothing is read that Step does not need: a caller that stops early pays for its frames alone.
//  3. The walked thread need not be the calling one. It must not go on meanwhile, and its
//  references
//     to the heap are followed as heap_reference.h says.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/code_cache.h"
#include "sigsafe/hotspot/compiled_scopes.h"
#include "sigsafe/hotspot/java_method.h"
#include "sigsafe/hotspot/stack_chunk.h"
#include "sigsafe/stack/frame.h"
#include "sigsafe/stack/native_frames.h"
#include "sigsafe/stack/stub_steps.h"
#include "sigsafe/stack/walk_context.h"
#include "sigsafe/stack/walk_start.h"

namespace jprof {

// Where a stack has its root.
enum class WalkUntil : uint8_t {
  kThreadEntry,
  kMount,  // where a virtual thread begins, if the stack has such a place
};

enum class VmStep : uint8_t {
  kFrame,   // frame() is the next one
  kRoot,    // the entry of the thread: there are no more
  kMount,   // the entry of the virtual thread that it runs
  kBroken,  // why() says why the caller of the last frame cannot be told
};

class VmCursor {
 public:
  // REQUIRES: context.mode != kAgct; the faults of guarded loads are caught; `context` and
  // start.interrupted stay.
  VmCursor(const WalkContext& context, const WalkStart& start, WalkUntil until);

  // REQUIRES: no step has ended the walk.
  VmStep Step();

  // REQUIRES: the last step was kFrame.
  const Frame& frame() const { return frame_; }

  // The registers of the machine's frame that holds frame(): inlined frames share one.
  StackPosition position() const;

  // REQUIRES: the last step was kBroken.
  WalkOutcome why() const { return why_; }

 private:
  // What the next step begins with.
  enum class Next : uint8_t {
    kClassify,         // the code at position_
    kNative,           // the next frame of native_
    kScope,            // the next method at this place of compiled code
    kPastCompiled,     // the caller of compiled code,
    kPastInterpreted,  // of an interpreted frame,
    kPastEdge,         // of interpreter code outside a frame,
    kPastStub,         // of a stub,
    kPastEntry,        // of the call stub,
    kPastHeapFrame,    // of a frame in the heap,
    kPastHeap,         // of the return barrier, in front of the frames in the heap
    kHeapFrame,        // the frame in the heap at position_
  };
  enum class Progress : uint8_t {
    kFrame = static_cast<uint8_t>(VmStep::kFrame),
    kRoot = static_cast<uint8_t>(VmStep::kRoot),
    kMount = static_cast<uint8_t>(VmStep::kMount),
    kBroken = static_cast<uint8_t>(VmStep::kBroken),
    kOn,  // on the way to the next frame
  };

  Progress Advance();
  Progress Classify();

  Progress EnterNativeCode();
  Progress InNativeCode();
  Progress FromAnchor(Progress otherwise);

  Progress InInterpreter();
  Progress PastEdge();
  Frame InterpretedFrame(const JavaMethod& method) const;

  Progress InEntry();
  Progress PastEntry();

  Progress InBlob();
  Progress EnterScopes(Next past_scopes);
  Progress InScope();
  Progress ScopesBroken(WalkOutcome why);
  uint64_t OriginalPc() const;
  Progress PastCompiled();
  Progress PastStub();

  Progress EnterHeap();
  Progress EnterChunk();
  Progress InHeapFrame();
  Progress PastHeapFrame();
  Progress HeapBroken();
  Progress PastHeap();

  bool ByHeuristic(FpOwner owner);
  bool BySearch();
  bool AtMount() const;

  // The innermost frame, where registers are what they were.
  bool Interrupted() const { return position_.meaning == PcMeaning::kNext; }
  Frame StubFrame() const { return {position_.pc, -1, FrameKind::kStub}; }
  Progress Yield(const Frame& frame, Next next) {
    frame_ = frame;
    next_ = next;
    return Progress::kFrame;
  }
  Progress OnWith(Next next) {
    next_ = next;
    return Progress::kOn;
  }
  Progress Broken(WalkOutcome why) {
    why_ = why;
    return Progress::kBroken;
  }
  Progress OnIf(bool moved, WalkOutcome otherwise) {
    return moved ? OnWith(Next::kClassify) : Broken(otherwise);
  }

  const WalkContext& context_;
  const ucontext_t* const interrupted_;
  const WalkUntil until_;
  Next next_ = Next::kClassify;
  bool saw_java_ = false;
  WalkOutcome why_ = WalkOutcome::kNoJavaFrame;
  StackPosition position_;
  Frame frame_;

  CodeBlob blob_;  // that position_ is in, between InBlob and the step to its caller

  CompiledScopes scopes_;  // from EnterScopes to the outermost one
  Next past_scopes_;
  FrameKind compiled_kind_;
  int scopes_left_;

  StackPosition barrier_;  // from EnterHeap to PastHeap
  uint64_t continuation_entry_;
  ChunkStack chunk_;
  int chunks_left_;

  int ways_down_ = 0;
  NativeFrames native_;
};

}  // namespace jprof
