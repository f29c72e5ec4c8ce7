// AskedMonitors: asks the JVM for which monitor a thread waits now, and which thread owns it.
//
// Each question stops the program for a moment, so their total time is bounded. Questions neither
// change nor make objects of Java's heap, so they are safe at the end of the JVM. Used on one
// attached thread, outside callbacks of monitor events.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <unordered_map>

#include "engines/lock/thread_ids.h"
#include "sigsafe/base/types.h"

namespace jprof {

class AskedMonitors {
 public:
  // Caps the time of all questions.
  static constexpr Nanos kMostAsking = 50'000'000;

  AskedMonitors(jvmtiEnv* jvmti, JNIEnv* jni, const ThreadIds& ids);

  // Returns a local reference to the object whose monitor the platform thread waits to enter, and
  // up to some JDK before 25 also if it waits for a notification; nullptr: none, or the JVM does
  // not answer: it answers only agents that were there when it started.
  jobject AwaitedBy(jthread thread);

  // Returns the thread that owns the monitor of `object`; SampledThread(): not known, or no thread.
  // A virtual thread is found only up to JDK 22. `object`: a local reference that lives as long as
  // the AskedMonitors.
  SampledThread OwnerOf(jobject object);

  // Returns the number of questions that were left out because the time was over.
  uint64_t left_out() const { return left_out_; }

 private:
  struct Asked {
    jobject object;
    SampledThread owner;
  };

  bool HasTime();

  jvmtiEnv* const jvmti_;
  JNIEnv* const jni_;
  const ThreadIds& ids_;
  bool tells_awaited_ = false;                   // true: the JVM answers AwaitedBy
  std::unordered_multimap<jint, Asked> owners_;  // keyed by identity hash
  Nanos spent_ns_ = 0;
  uint64_t left_out_ = 0;
};

}  // namespace jprof
