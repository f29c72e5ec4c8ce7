// WalkTask: what the probe does on each thread that it interrupts.
#pragma once

#include <ucontext.h>

#include <string>

#include "sigsafe/os/registers.h"
#include "sigsafe/stack/vm_walker.h"
#include "sigsafe/stack/walk_buffers.h"

namespace jprof::test {

// Walks like WalkStack, but with the layout and registers that the caller passes.
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

  // Called in a signal handler on a thread that is attached to the JVM; on many threads at the same
  // time. Async-signal-safe.
  virtual void Run(const void* jni_env, const ucontext_t* context, const WalkBuffer& buffer) = 0;

  // True if all requested walks have been made. Thread-safe.
  virtual bool IsDone() const = 0;

  // Returns the result as lines of text. REQUIRES: no handler is running.
  virtual std::string Text() const = 0;
};

}  // namespace jprof::test
