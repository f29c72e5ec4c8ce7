#include "sigsafe/stack/stack_walker.h"

#include <ucontext.h>

#include "sigsafe/hotspot/hotspot_layout.h"
#include "sigsafe/os/registers.h"
#include "sigsafe/stack/native_frames.h"
#include "sigsafe/stack/vm_walker.h"

namespace jprof {
namespace {

Frame JavaFrame(const AsgctFrame& frame) {
  const auto id = reinterpret_cast<uint64_t>(frame.method_id);
  if (frame.bci == kAsgctNativeMethod) return {id, -1, FrameKind::kJavaNative};
  return {id, frame.bci, FrameKind::kJava};
}

Stack Taken(FrameSink& sink, const WalkBuffer& buffer) {
  const uint32_t count = sink.Finish();
  return {buffer.frames, count, sink.truncated()};
}

// A thread that the JVM does not know, or does not tell us about.
Stack WalkNativeStack(StackMode mode, const StackBounds& bounds, const ucontext_t* context,
                      const WalkBuffer& buffer) {
  if (mode == StackMode::kAgct || mode == StackMode::kNo) {
    buffer.frames[0] = NativeFrame(ProgramCounter(context));
    return {buffer.frames, 1, false};
  }
  FrameSink sink(buffer.frames, buffer.depth, buffer.root_depth);
  NativePart part{NativeRegistersOf(context), context, bounds, {}, mode};
  if (PushNativeFrames(&part, &sink) == NativeEnd::kLost) {
    sink.Push(OutcomeFrame(WalkOutcome::kBrokenNative));
  }
  return Taken(sink, buffer);
}

}  // namespace

Stack UnwalkedStack(WalkOutcome why, const void* ucontext, const WalkBuffer& buffer) {
  buffer.frames[0] = NativeFrame(ProgramCounter(static_cast<const ucontext_t*>(ucontext)));
  buffer.frames[1] = OutcomeFrame(why);
  return {buffer.frames, 2, false};
}

Stack WalkStack(const WalkedThread& thread, void* ucontext, const WalkBuffer& buffer) {
  const auto* context = static_cast<const ucontext_t*>(ucontext);
  const StackMode mode = GetStackMode();
  if (thread.jni_env == nullptr) return WalkNativeStack(mode, thread.stack, context, buffer);
  const HotspotLayout* vm = mode == StackMode::kAgct ? nullptr : TheHotspotLayout();
  if (vm != nullptr) {
    FrameSink sink(buffer.frames, buffer.depth, buffer.root_depth);
    const WalkEnd end = WalkVmStack(*vm, mode, thread.until, thread.jni_env, context, &sink);
    Stack stack = Taken(sink, buffer);
    stack.reaches_entry = end == WalkEnd::kRoot && vm->continuation_return != 0;
    return stack;
  }
  const AsgctResult java =
      AsgctWalker::Walk(thread.jni_env, ucontext, buffer.java, buffer.depth + 1);
  if (java.frames == 0) return UnwalkedStack(java.outcome, ucontext, buffer);
  const bool truncated = java.frames > buffer.depth;
  const uint32_t count = truncated ? buffer.depth : java.frames;
  for (uint32_t i = 0; i < count; ++i) buffer.frames[i] = JavaFrame(buffer.java[i]);
  return {buffer.frames, count, truncated};
}

}  // namespace jprof
