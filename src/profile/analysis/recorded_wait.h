// RecordedWait: a wait for a lock, from its event: one of the JDK's, or of a native lock. Our own
// recordings tell more of owner, waker and sampling than others do.
//
// Thread-safe: no state.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "base/wait_type.h"
#include "profile/profile.h"
#include "profile/profile_event.h"

namespace jprof {

// Which thread of a process: names may be those of several. Java never uses an id twice; the
// system's id is that of a thread without one of Java's.
struct ThreadIdentity {
  int64_t java_id = 0;
  int64_t os_id = 0;  // 0 with an id of Java's

  static ThreadIdentity Of(int64_t java_id, int64_t os_id) {
    return {java_id, java_id == 0 ? os_id : 0};
  }
  bool is_known() const { return java_id != 0 || os_id != 0; }
  auto operator<=>(const ThreadIdentity&) const = default;
};

struct RecordedWait {
  WaitType type = WaitType::kMonitorEnter;
  // "java.util.concurrent.Semaphore$NonfairSync"; of a native lock its address; the class that is
  // initialized; empty: not known.
  std::string lock_class = {};
  uint32_t thread = 0;  // of Profile::threads()
  uint32_t stack = 0;   // node of Profile::stacks
  int64_t time_ns = 0;
  // Of a wait that lies partly in the slice both are its part.
  double stands_for_ns = 0;  // of waiting, its own time included
  double waited_ns = 0;
  std::string owner = {};  // empty: not known; as of the waker
  ThreadIdentity owner_id = {};
  std::string waker = {};
  bool is_unfinished = false;
  profile::Interval interval = {};  // of its own, whole
  uint32_t recording = 0;           // of several that are read as one

  // Waits for which profiler.ThreadWaits has sums.
  bool is_of_java() const {
    return type == WaitType::kMonitorEnter || type == WaitType::kMonitorWait ||
           type == WaitType::kPark || type == WaitType::kClassInitialization;
  }
  // What it adds to the variance of a sum of times: it was drawn with the probability waited_ns /
  // stands_for_ns.
  double variance() const { return stands_for_ns * (stands_for_ns - waited_ns); }
};

// Whether events of the type are waits.
bool IsOfWait(const profile::RecordedType& type);

// REQUIRES: IsOfWait(the event's type).
RecordedWait WaitOf(const profile::ProfileEvent& event);

// The code that waits: the innermost frame outside of the JDK. Where there is none, the innermost
// one that does more than wait: "java.util.concurrent.ThreadPoolExecutor.getTask".
std::string WaitSiteText(const profile::Profile& profile, uint32_t stack);

}  // namespace jprof
