// InForkedChild: whether this process is a forked child of the profiled process.
//
// A forked child has the profiler's handlers, import slots and memory, but none of its threads and
// timers. A lock that another thread held stays locked forever, and descriptors are shared with the
// parent. So all code of the profiler that can run in a child calls InForkedChild first, and in a
// child behaves as if the profiler were absent. A child of vfork or posix_spawn shares the parent's
// memory until it calls exec: for such a child InForkedChild returns false, and the only code of
// the profiler that runs in it is a wait (jvm/exit_watch.h).
//
// InForkedChild is async-signal-safe. SetForkMark is called once, before the first signal
// (os/fork_watch.h).
#pragma once

#include <atomic>

namespace jprof {

// A flag that is true in the profiled process, and false in its forked children.
using ForkMark = std::atomic<bool>;

static_assert(ForkMark::is_always_lock_free);

bool InForkedChild();

// Makes `mark` the flag that InForkedChild reads. REQUIRES: `*mark` is true, and lives as long as
// the process.
void SetForkMark(const ForkMark* mark);

}  // namespace jprof
