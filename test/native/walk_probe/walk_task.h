// WalkTask: an action of the probe on a thread that it has interrupted.
#pragma once

#include <ucontext.h>

#include <string>

#include "sigsafe/os/registers.h"
#include "sigsafe/stack/vm_walker.h"
#include "sigsafe/stack/walk_buffers.h"

namespace jprof::test {

// Walks like WalkStack, with a VM and registers of the caller's choice.
inline WalkEnd WalkInterrupted(const HotspotLayout& vm, StackMode mode, WalkUntil until,
                               const void* jni_env, const ucontext_t* context, FrameSink* sink) {
  WalkStart start;
  if (!StartAtSignal(vm, JavaThreadOf(jni_env, vm.env_offset), context, &start)) {
    sink->Push(NativeFrame(ProgramCounter(context)));
    return sink->Push(OutcomeFrame(WalkOutcome::kUnreadable)) ? WalkEnd::kBroken : WalkEnd::kFull;
  }
  return WalkVmStack({vm, NativeCode::OfProcess(), mode, start.java_thread, start.stack}, start,
                     until, sink)
      .end;
}

class WalkTask {
 public:
  virtual ~WalkTask() = default;

  // Runs in a handler on a thread attached to the JVM. Async-signal-safe; many threads at once.
  virtual void Run(const void* jni_env, const ucontext_t* context, const WalkBuffer& buffer) = 0;

  // True if all requested walks are done. Callable on any thread.
  virtual bool IsDone() const = 0;

  // Returns the result as lines. REQUIRES: no handler is running.
  virtual std::string Text() const = 0;
};

}  // namespace jprof::test
