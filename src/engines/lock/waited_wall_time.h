// Samples of elapsed time (the kind `wall`) of virtual threads that wait. A virtual thread that
// waits has no carrier, so no signal can reach it. Its waits are known from probes and from events
// of the JVM. Each wait becomes a sample at its end, and at the end of each chunk.
//
// The weight of such a sample obeys the rules of all wall samples (wall_accounting.h): it is the
// number of multiples of the interval in the wait, times the interval. Together with the samples
// that signals take while a carrier runs the thread, the weights add up to the thread's lifetime.
//
// Used on attached threads: in callbacks of the JVM, in probes, and on the thread that ends a chunk
// or stops the recording. Not for signal handlers.
#pragma once

#include <jvmti.h>

#include <array>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "jvm/sampled_classes.h"
#include "sigsafe/sampling/sample_source.h"
#include "sigsafe/sampling/wall_accounting.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// Makes waits count from now on, with the interval of `wall`. The interval of SamplingState does
// not serve, because the engine `wall` stops first.
void BeginWaitedTime(Nanos interval_ns);
// Returns the time of the last BeginWaitedTime.
Nanos WaitedTimeBegin();
// Ends the time that counts. Later calls have no effect. Waits that go on are sampled after this
// call, and each of them in a different moment, but all of them count up to this call.
void EndWaitedTime();

// The part of a wait that a sample stands for.
struct WaitedTime {
  // A value of windows_ns: no part of the time is in a window.
  static constexpr Nanos kOutside = INT64_MAX;

  int64_t thread = 0;  // threadId() of the virtual thread
  ThreadActivity activity = ThreadActivity::kParked;
  Nanos from_ns = 0;
  Nanos to_ns = 0;
  // If the recording is limited to windows, how long windows had been open when the wait began.
  Nanos windows_ns = 0;

  // True if a multiple of the interval of `wall` falls into the part of the time that counts.
  bool HasTick() const;
};

// WaitSampler has the data that all samples of a recording need.
struct WaitSampler {
  // Returns an Error if the JVM has no memory, or if the field `name` of its threads is unknown.
  // `is_jdk24` is true from JDK 24 on.
  static Result<WaitSampler> For(JNIEnv* jni, jvmtiEnv* jvmti, SampledClasses& classes,
                                 bool is_jdk24);

  jvmtiEnv* jvmti;
  SampledClasses* classes;  // notes the methods of stacks from the JVM
  jfieldID name;            // Thread.name
  // True if signals that reach the carrier of a pinned virtual thread name the virtual thread (from
  // JDK 24 on). The time of a pinned thread is then in their samples, else in those of its waits.
  bool carriers_name_pinned;
  // True if the JVM stops the program when it is asked for the stack of a virtual thread. The
  // stacks of several threads are then asked for together.
  bool stops_for_stacks;
};

// StackAtJvm is a source that asks the JVM for the stack of a thread, in place of a walk. The frames
// of a virtual thread are in the heap, and mostly stay there even when its wait has ended. The JVM
// answers with every collector, and keeps another thread from being mounted meanwhile. The JVM is
// also asked for the stacks of threads that still wait when a recording of `lock` stops.
class StackAtJvm {
 public:
  static constexpr uint32_t kMostFrames = 512;
  // The number of innermost frames among which StartAt looks for a method.
  static constexpr uint32_t kMostOnTop = 12;

  // Asks the JVM for the stack of `thread`.
  void Fetch(jvmtiEnv* jvmti, jthread thread);
  // Asks the JVM for the stacks of `threads`, and sets `stacks`. REQUIRES: both have the same size.
  static void Fetch(const WaitSampler& sampler, std::span<const jthread> threads,
                    std::span<StackAtJvm> stacks);
  // Makes the innermost frame of one of the methods the first frame of the stack. Returns false if
  // none of them is among the innermost frames.
  bool StartAt(std::span<const jmethodID> methods);

  // True if a native method or a class initializer is among the callers of the first frame. The JVM
  // then leaves the thread on its carrier while it waits.
  bool IsPinned(jvmtiEnv* jvmti) const;

  // Makes frame `index` the first one, and `method` its method, at its start. REQUIRES: the stack
  // has that frame.
  void StartAtFrame(uint32_t index, jmethodID method) {
    first_ += index;
    frames_[first_] = {method, 0};
  }

  // Makes the methods of the frames known by their names (SampledClasses::NoteMethod).
  void NoteMethods(jvmtiEnv* jvmti, JNIEnv* jni, SampledClasses& classes) const {
    for (const jvmtiFrameInfo& frame : frames()) classes.NoteMethod(jvmti, jni, frame.method);
  }

  std::span<const jvmtiFrameInfo> frames() const {
    return {frames_.data() + first_, end_ - first_};
  }
  // Makes the frames those of the stack. REQUIRES: at most kMostFrames.
  void Set(std::span<const jvmtiFrameInfo> frames);

  static constexpr bool kNeedsBuffer = true;
  SampledWalk Walk(const WalkEnvironment&, ThreadSlot&, const Subject& subject,
                   const WalkBuffer& buffer) const;

 private:
  std::array<jvmtiFrameInfo, kMostFrames> frames_;
  uint32_t first_ = 0;
  uint32_t end_ = 0;
};

// Takes the sample of a wait of `thread`, unless the samples of its carrier stand for the wait.
// `taker` is the slot that takes the sample of another thread; nullptr if the calling thread is the
// waiting thread.
void SampleWaitOf(const WaitSampler& sampler, JNIEnv* jni, jthread thread, const WaitedTime& time,
                  const StackAtJvm& stack, ThreadSlot* taker);

}  // namespace jprof
