// ThreadListener: a part of the profiler that is told of threads coming and going.
#pragma once

#include "sigsafe/threads/profiled_thread.h"

namespace jprof {

// From when on a thread's CPU time is to be accounted for.
enum class Observed {
  kFromBirth,  // it began after the profiling did
  kFromNow,    // it was there before, or has been accounted for up to now
  kAsItWas,    // its record carries on where another record of the same thread was
};

// Who tells that a thread has ended.
enum class EndedBy {
  kItself,  // the thread, as the last thing it does; asynchronous signals are blocked
  kAbsence,
};

// Called under the registry's lock, on any thread; must not call back. A record starts once and
// ends at most once, and only threads that the session's filter selects are reported.
class ThreadListener {
 public:
  virtual ~ThreadListener() = default;
  virtual void OnThreadStart(ProfiledThread& thread, Observed observed) = 0;
  virtual void OnThreadEnd(ProfiledThread& thread, EndedBy ended_by) = 0;
};

}  // namespace jprof
