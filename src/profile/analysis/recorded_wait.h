// RecordedWait is a wait for a lock, read from an event of the JDK or from an event of a native
// lock. The events of jprof have fields about the owner, the waker and the sampling of a wait that
// the events of other profilers lack.
//
// The functions are thread-safe: no state.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "base/wait_type.h"
#include "profile/profile.h"
#include "profile/profile_event.h"

namespace jprof {

// Identifies a thread within a process. A name would not do, because several threads can have the
// same name. A thread with a Java id is identified by this id, which Java never reuses. Any other
// thread is identified by the system's id.
struct ThreadIdentity {
  int64_t java_id = 0;
  int64_t os_id = 0;  // 0 if there is a Java id

  static ThreadIdentity Of(int64_t java_id, int64_t os_id) {
    return {java_id, java_id == 0 ? os_id : 0};
  }
  bool is_known() const { return java_id != 0 || os_id != 0; }
  auto operator<=>(const ThreadIdentity&) const = default;
};

struct RecordedWait {
  WaitType type = WaitType::kMonitorEnter;
  // "java.util.concurrent.Semaphore$NonfairSync", the address of a native lock, or the class that
  // is being initialized; empty if unknown.
  std::string lock_class = {};
  uint32_t thread = 0;  // index into Profile::threads()
  uint32_t stack = 0;   // node of Profile::stacks
  int64_t time_ns = 0;
  // If only a part of the wait lies in the slice, stands_for_ns and waited_ns are the times of this
  // part.
  double stands_for_ns = 0;  // time of all the waits for which this sampled wait stands
  double waited_ns = 0;      // time of this wait alone
  std::string owner = {};    // empty if unknown
  ThreadIdentity owner_id = {};
  std::string waker = {};  // empty if unknown
  // The innermost methods (profile::StackText) in which a thread held the lock at a moment of the
  // wait, with the thread: "loader in app.Cache.refresh <- app.Loader.load"; and those in which the
  // waker ended the wait. Empty if unknown.
  std::string held_in = {};
  std::string woken_in = {};
  bool is_unfinished = false;
  profile::Interval interval = {};  // interval of this wait alone, not cut to the slice
  uint32_t recording = 0;           // index of the recording if several are read as one

  // True for the types of waits that the event profiler.ThreadWaits sums.
  bool is_of_java() const {
    return type == WaitType::kMonitorEnter || type == WaitType::kMonitorWait ||
           type == WaitType::kPark || type == WaitType::kClassInitialization;
  }
  // Returns the variance that this wait adds to a sum of waiting times. The wait was sampled with
  // the probability waited_ns / stands_for_ns.
  double variance() const { return stands_for_ns * (stands_for_ns - waited_ns); }
};

// True if events of the type are waits.
bool IsOfWait(const profile::RecordedType& type);

// Reads the wait of an event. REQUIRES: IsOfWait(the event's type).
RecordedWait WaitOf(const profile::ProfileEvent& event);

// Returns the method that waits: that of the innermost frame outside the JDK. If all frames are in
// the JDK, returns the innermost method that does something besides waiting, such as
// "java.util.concurrent.ThreadPoolExecutor.getTask"; if there is none, returns the innermost
// method.
std::string WaitSiteText(const profile::Profile& profile, uint32_t stack);

}  // namespace jprof
