#include "sigsafe/stack/stack_walker.h"

#include <ucontext.h>

#include "sigsafe/base/check.h"
#include "sigsafe/os/registers.h"
#include "sigsafe/stack/native_frames.h"

namespace jprof {
namespace {

Frame JavaFrame(const AsgctFrame& frame) {
  const auto id = reinterpret_cast<uint64_t>(frame.method_id);
  if (frame.bci == kAsgctNativeMethod) return {id, -1, FrameKind::kJavaNative};
  return {id, frame.bci, FrameKind::kJava};
}

Stack Taken(FrameSink& sink, const WalkBuffer& buffer) {
  const uint32_t count = sink.Finish();
  return {buffer.frames, count, sink.truncated(), false, sink.lacks_root()};
}

// Walks a thread without a JNIEnv. The innermost frame of the thread is at `pc`. begin(native)
// begins the walk.
template <typename Begin>
Stack WalkNativeStack(const WalkEnvironment& environment, const StackBounds& bounds, Pc pc,
                      Begin begin, const WalkBuffer& buffer) {
  if (environment.mode == StackMode::kAgct || environment.mode == StackMode::kNo) {
    buffer.frames[0] = NativeFrame(pc);
    return {buffer.frames, 1, false};
  }
  JPROF_CHECK(environment.native_code != nullptr);
  FrameSink sink(buffer.frames, buffer.depth, buffer.root_depth, buffer.root_budget);
  NativeFrames native(*environment.native_code, environment.mode, bounds, environment.faults, {});
  begin(native);
  NativeStep step = native.Step();
  while (step == NativeStep::kFrame && sink.Push(native.frame())) step = native.Step();
  if (step == NativeStep::kLost) sink.Push(OutcomeFrame(WalkOutcome::kBrokenNative));
  Stack stack = Taken(sink, buffer);
  stack.lacks_tables = native.lacks_tables();
  return stack;
}

Stack WalkByAsgct(const WalkEnvironment& environment, void* jni_env, void* ucontext,
                  const WalkBuffer& buffer) {
  const AsgctResult java =
      WalkByAsgct(environment.asgct, jni_env, ucontext, buffer.java, buffer.depth + 1);
  if (java.frames == 0) return UnwalkedStack(java.outcome, ucontext, buffer);
  const bool truncated = java.frames > buffer.depth;
  const uint32_t count = truncated ? buffer.depth : java.frames;
  for (uint32_t i = 0; i < count; ++i) buffer.frames[i] = JavaFrame(buffer.java[i]);
  return {buffer.frames, count, truncated};
}

Stack OutcomeAlone(WalkOutcome why, const WalkBuffer& buffer) {
  buffer.frames[0] = OutcomeFrame(why);
  return {buffer.frames, 1, false};
}

}  // namespace

Stack UnwalkedStack(WalkOutcome why, const void* ucontext, const WalkBuffer& buffer) {
  buffer.frames[0] = NativeFrame(ProgramCounter(static_cast<const ucontext_t*>(ucontext)));
  buffer.frames[1] = OutcomeFrame(why);
  return {buffer.frames, 2, false};
}

Stack WalkStackFrom(const WalkEnvironment& environment, const WalkStart& start, WalkUntil until,
                    const WalkBuffer& buffer) {
  JPROF_CHECK(environment.walks_vm_frames());
  const WalkContext context{*environment.vm, *environment.native_code, environment.mode,
                            start.java_thread, start.stack};
  FrameSink sink(buffer.frames, buffer.depth, buffer.root_depth, buffer.root_budget,
                 buffer.methods);
  const VmWalk walk = WalkVmStack(context, start, until, &sink);
  Stack stack = Taken(sink, buffer);
  stack.methods = buffer.methods;
  stack.vm = environment.vm;
  stack.lacks_tables = walk.lacks_tables;
  stack.reaches_entry = walk.end == WalkEnd::kRoot && environment.vm->finds_mounts();
  return stack;
}

Stack WalkFromAnchor(const WalkEnvironment& environment, const WalkedThread& thread,
                     const WalkBuffer& buffer) {
  if (!environment.walks_vm_frames()) return OutcomeAlone(WalkOutcome::kNoWalker, buffer);
  WalkStart start;
  if (thread.jni_env == nullptr ||
      !StartAtAnchor(*environment.vm, JavaThreadOf(thread.jni_env, environment.vm->env_offset),
                     &start)) {
    return OutcomeAlone(WalkOutcome::kNoJavaFrame, buffer);
  }
  return WalkStackFrom(environment, start, thread.until, buffer);
}

Stack WalkFromCall(const WalkEnvironment& environment, const WalkedThread& thread,
                   const StackPosition& call, const WalkBuffer& buffer) {
  if (thread.jni_env == nullptr) {
    return WalkNativeStack(
        environment, thread.stack, Pc{call.pc - 1},
        [&call](NativeFrames& native) {
          native.BeginAtCall({call.pc, call.sp, call.fp});
        },
        buffer);
  }
  if (!environment.walks_vm_frames()) return OutcomeAlone(WalkOutcome::kNoWalker, buffer);
  WalkStart start;
  if (!StartAtRegisters(*environment.vm, JavaThreadOf(thread.jni_env, environment.vm->env_offset),
                        call, &start)) {
    return OutcomeAlone(WalkOutcome::kUnreadable, buffer);
  }
  return WalkStackFrom(environment, start, thread.until, buffer);
}

Stack WalkStack(const WalkEnvironment& environment, const WalkedThread& thread, void* ucontext,
                const WalkBuffer& buffer) {
  const auto* context = static_cast<const ucontext_t*>(ucontext);
  if (thread.jni_env == nullptr) {
    return WalkNativeStack(
        environment, thread.stack, ProgramCounter(context),
        [context](NativeFrames& native) {
          native.BeginInterrupted(NativeRegistersOf(context), context);
        },
        buffer);
  }
  if (!environment.walks_vm_frames()) {
    return WalkByAsgct(environment, thread.jni_env, ucontext, buffer);
  }
  const uint64_t java_thread = JavaThreadOf(thread.jni_env, environment.vm->env_offset);
  WalkStart start;
  if (!StartAtSignal(*environment.vm, java_thread, context, &start)) {
    return UnwalkedStack(WalkOutcome::kUnreadable, ucontext, buffer);
  }
  return WalkStackFrom(environment, start, thread.until, buffer);
}

}  // namespace jprof
