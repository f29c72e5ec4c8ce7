// VmCursor: walks the stack of a Java thread, callee first and one frame a step, by means of
// HotSpot's data about its code and threads. The walk ends at the entry of the thread or of the
// mounted virtual thread. Each frame has the execution mode of its code.
//
//   VmCursor cursor(context, start, WalkUntil::kThreadEntry);
//   VmStep step = cursor.Step();
//   for (; step == VmStep::kFrame; step = cursor.Step()) Use(cursor.frame());
//
// Async-signal-safe. Used before any guard is entered. One object for each walk, about 1.5 KiB.
// Guarantees
//  1. Every walk ends, whatever the content of the memory: all but a bounded number of steps go up
//     the stack.
//  2. Step reads only the memory that it needs: a caller that stops early pays only for its frames.
//  3. The walked thread need not be the calling thread, but it must not run during the walk. Its
//     references to the heap are followed only when heap_reference.h allows it.
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

// The point that counts as the root of a stack: a walk ends there.
enum class WalkUntil : uint8_t {
  kThreadEntry,
  kMount,  // the entry of the mounted virtual thread, if there is one
};

enum class VmStep : uint8_t {
  kFrame,   // frame() is the next frame
  kRoot,    // the end: the entry of the thread
  kMount,   // the end: the entry of the mounted virtual thread
  kBroken,  // the caller of the last frame cannot be determined: why()
};

class VmCursor {
 public:
  // REQUIRES: context.mode != kAgct; the faults of guarded loads are caught; `context` and
  // start.interrupted outlive the cursor.
  VmCursor(const WalkContext& context, const WalkStart& start, WalkUntil until);

  // REQUIRES: the walk has not ended.
  VmStep Step();

  // REQUIRES: the last step was kFrame.
  const Frame& frame() const { return frame_; }

  // Returns the address of the Method of frame(); not specified if frame() is not a Java frame with
  // an id.
  // REQUIRES: the last step was kFrame.
  uint64_t method() const { return method_; }

  // Returns the level at which the code of frame() was compiled: 1 to 3 for C1, 4 for C2. Inlined
  // frames have the level of the method into which they are inlined.
  // REQUIRES: the last step was kFrame, and frame() is compiled Java code, inlined or not.
  int32_t level() const { return level_; }

  // Returns the registers of the physical frame that contains frame(). Inlined frames share the
  // physical frame of their compiled method.
  StackPosition position() const;

  // REQUIRES: the last step was kBroken.
  WalkOutcome why() const { return why_; }

  // True if a frame lies in code that has no unwind table, and for which no rule was found.
  bool lacks_tables() const { return lacks_tables_ || native_.lacks_tables(); }

 private:
  // The task of the next step.
  enum class Next : uint8_t {
    kClassify,         // to classify the code at position_
    kNative,           // to take the next frame of native_
    kScope,            // to take the next scope of compiled code
    kPastCompiled,     // to step to the caller of compiled code
    kPastInterpreted,  // to step to the caller of an interpreted frame
    kPastEdge,         // to step to the caller of interpreter code outside a frame
    kPastStub,         // to step to the caller of a stub
    kPastEntry,        // to step to the caller of the call stub
    kEnterChunk,       // to step to the topmost frame of chunk_
    kPastHeapFrame,    // to step to the caller of a frame in the heap
    kPastHeap,         // to step from the return barrier to the carrier, past the heap's frames
    kHeapFrame,        // to take the frame in the heap at position_
  };
  enum class Progress : uint8_t {
    kFrame = static_cast<uint8_t>(VmStep::kFrame),
    kRoot = static_cast<uint8_t>(VmStep::kRoot),
    kMount = static_cast<uint8_t>(VmStep::kMount),
    kBroken = static_cast<uint8_t>(VmStep::kBroken),
    kOn,  // the next frame has not been reached yet
  };

  Progress Advance();
  Progress Classify();

  Progress EnterNativeCode();
  Progress InNativeCode();
  Progress InReachedCode();
  void ByPendingThrow();
  Progress PastNativeCode(NativeStep end);

  bool IsEnteredFromCompiled() const;
  Progress InInterpreter(bool is_past_vm_code);
  bool IsUnmade();
  Progress PastUnmadeFrame();
  Progress PastEdge();
  Frame InterpretedFrame(const JavaMethod& method) const;
  int32_t BytecodeIndex(const JavaMethod& method) const;

  Progress InEntry();
  Progress PastEntry();
  Progress PastUpcall();
  Progress PastCallOfJava(uint64_t anchor, WalkOutcome otherwise);

  Progress InBlob();
  Progress EnterScopes(Next past_scopes);
  Progress InScope();
  Progress ScopesBroken(WalkOutcome why);
  uint64_t OriginalPc() const;
  Progress PastCompiled();
  Progress PastStub();
  bool ByShapeOfStub();
  bool ByGuessAtStub();

  bool BeginHeap();
  bool HasChunks() const;
  bool FindChunk();
  bool FindThawed();
  int InterpretedFramesUpTo(uint64_t sp) const;
  bool PastCopying();
  Progress InReturnBarrier();
  Progress EnterHeap();
  Progress EnterChunk();
  Progress InHeapFrame();
  Progress PastHeapFrame();
  Progress HeapBroken();
  Progress PastHeap();

  bool ByHeuristic(FpOwner owner);
  bool PastThaw();
  bool ByPendingReturn();
  bool ByReturnRegister();
  bool ByLinkOfStub();
  bool ToNativeCaller(const StackPosition& caller);
  uint64_t SenderSpOf(const ucontext_t* interrupted) const;
  uint64_t EnteringAnchor() const;
  bool BySearch();
  bool AtMount() const;
  uint64_t ParentOf(uint64_t entry) const;

  // True if position_ is interrupted code: at the innermost frame, or at the caller of a signal
  // frame.
  bool Interrupted() const { return position_.meaning == PcMeaning::kNext; }
  Frame StubFrame() const { return {position_.pc, -1, FrameKind::kStub}; }
  Progress Yield(const Frame& frame, Next next, uint64_t method = 0) {
    frame_ = frame;
    method_ = method;
    next_ = next;
    if (!IsJava(frame)) return Progress::kFrame;
    if (is_in_heap_) return IsCopy(frame) ? Progress::kOn : Progress::kFrame;
    if (frames_on_stack_ == 0) is_native_on_top_ = frame.kind == FrameKind::kJavaNative;
    if (frames_on_stack_ == 1) second_ = frame;
    ++frames_on_stack_;
    return Progress::kFrame;
  }
  bool IsCopy(const Frame& frame);
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
  const ucontext_t* interrupted_;  // all registers while Interrupted(); nullptr if unknown
  const WalkUntil until_;
  Next next_ = Next::kClassify;
  bool saw_java_ = false;
  WalkOutcome why_ = WalkOutcome::kNoJavaFrame;
  StackPosition position_;
  // The address of the anchor that has the Java frame from which the native code at position_ was
  // called. If position_ is not in native code, this is the anchor for the next native code of the
  // walk.
  uint64_t anchor_;
  Frame frame_;
  uint64_t method_ = 0;
  int32_t level_ = 0;

  CodeBlob blob_;  // at position_; valid from InBlob to the step to the caller

  CompiledScopes scopes_;  // valid from EnterScopes to the outermost scope
  Next past_scopes_;
  FrameKind compiled_kind_;
  int scopes_left_;

  // True if the last step led from a stub or from native code to generated code.
  bool is_past_vm_code_ = false;
  // True from the stub of a deoptimisation up to the first frame that has its content.
  bool is_unpacking_ = false;

  StackPosition barrier_;  // the return barrier; valid from EnterHeap to PastHeap
  uint64_t continuation_entry_;
  ChunkStack chunk_;
  int chunks_left_;

  // While a virtual thread is being unmounted, its frames are copied from the stack to the heap,
  // and are in both places until the VM removes them from the stack.
  uint32_t frames_on_stack_ = 0;   // number of Java frames before the first one in the heap
  bool is_native_on_top_ = false;  // the first Java frame is that of a native method
  Frame second_{};                 // the second Java frame
  bool is_in_heap_ = false;
  bool has_heap_frame_ = false;  // a frame in the heap has been reached
  uint32_t copies_left_ = 0;     // number of frames in the heap that were on the stack

  bool lacks_tables_ = false;
  int ways_down_ = 0;
  NativeFrames native_;
};

}  // namespace jprof
