// AskedMonitors: what the JVM knows of monitors that threads wait for now: for which one a thread
// waits, and who owns it.
//
// Each question stops the program for a moment, so all of them together are bounded in time. The
// objects of Java's heap stay as they are, and none is made: an answer is safe at the end of the
// JVM. On one attached thread, outside callbacks of monitor events.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <unordered_map>

#include "engines/lock/thread_ids.h"
#include "sigsafe/base/types.h"

namespace jprof {

class AskedMonitors {
 public:
  static constexpr Nanos kMostAsking = 50'000'000;

  AskedMonitors(jvmtiEnv* jvmti, JNIEnv* jni, const ThreadIds& ids);

  // Returns a local reference to the object whose monitor the platform thread waits to enter, and
  // up to some JDK before 25 also where it waits for a notification; nullptr: none, or the JVM does
  // not say it: it does to an agent that was there when the JVM started.
  jobject AwaitedBy(jthread thread);

  // Returns the thread that owns the monitor of `object`; SampledThread(): not known, or nobody.
  // A virtual thread is named up to JDK 22 alone. `object` is a local reference that lives as long
  // as the AskedMonitors.
  SampledThread OwnerOf(jobject object);

  // Questions that were left out because the time for them was over.
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
  bool tells_awaited_ = false;                   // whether AwaitedBy may be asked
  std::unordered_multimap<jint, Asked> owners_;  // by identity hash
  Nanos spent_ns_ = 0;
  uint64_t left_out_ = 0;
};

}  // namespace jprof
