// InForkedChild: whether this process is a forked child of the profiled process.
//
// A forked child has the profiler's handlers, import slots and memory, but none of its threads and
// timers. A lock that another thread held stays locked for ever, and descriptors are shared with
// the parent. So all code of the profiler that a child may run asks here first, and in a child
// behaves as if the profiler were absent. A child of vfork or posix_spawn shares the parent's
// memory until it calls exec: there the answer is false, and no code of the profiler runs but a
// wait (jvm/exit_watch.h).
//
// InForkedChild: Async-signal-safe. SetForkMark: once, before the first signal (os/fork_watch.h).
#pragma once

#include <atomic>

namespace jprof {

// True in the process that has set it; false in the memory of its children.
using ForkMark = std::atomic<bool>;

static_assert(ForkMark::is_always_lock_free);

bool InForkedChild();

// REQUIRES: `mark` lives as long as the process.
void SetForkMark(const ForkMark* mark);

}  // namespace jprof
