// UnannouncedClasses: tells when the JVM may have loaded classes without JVMTI's events.
//
// JDK 21 to 23 post neither ClassFileLoadHook nor ClassPrepare for a class that is loaded while a
// virtual thread is being mounted, unmounted or handed to its timer, as ThreadPoolExecutor$Worker
// and FutureTask are when the first virtual thread sleeps (jdk-21+35
// src/hotspot/share/prims/jvmtiExport.cpp, post_class_prepare: is_in_any_VTMS_transition). A part
// of the agent that keeps track of classes by these events lists the loaded classes again when
// IsDue says so, and before it gives an answer that claims to be exact.
//
// Outside handlers, one thread at a time.
#pragma once

#include <cstdint>

#include "base/perf_counters.h"
#include "sigsafe/base/types.h"

namespace jprof {

class UnannouncedClasses {
 public:
  // After the JVM has counted new classes, and where it has not: a class that was loaded long ago
  // may be prepared unannounced.
  static constexpr Nanos kSoon = 1'000'000'000;
  static constexpr Nanos kAnyway = 10'000'000'000;

  // In a JVM that announces all of its classes.
  UnannouncedClasses() = default;
  UnannouncedClasses(int jdk_release, const PerfCounters& counters);

  // True if this JVM leaves out events.
  bool MayExist() const { return may_exist_; }

  // True if the classes are to be listed now. The JVM counts a class a moment before it lists it:
  // another list is due after the one that followed the last change.
  bool IsDue(Nanos now_ns);

 private:
  int64_t Loaded() const;

  bool may_exist_ = false;
  const int64_t* loaded_ = nullptr;  // the JVM's counters; nullptr: it keeps none
  const int64_t* shared_ = nullptr;
  int64_t listed_ = 0;
  bool is_settled_ = false;  // the last list was after no change
  Nanos last_ns_ = 0;
};

}  // namespace jprof
