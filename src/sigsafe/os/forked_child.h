// InForkedChild: whether this process is a copy of the one that is profiled, made by fork.
//
// A child of fork has our handlers, our import slots and our memory, but none of our threads and
// timers; a lock that another thread held is held for ever, and descriptors are the parent's. So
// whatever of ours a child may run asks here first, and then does what would be done without us. A
// child of vfork or posix_spawn shares the parent's memory until it calls exec; to it the answer is
// no, and it runs nothing of ours.
//
// InForkedChild: Async-signal-safe. SetForkMark: once, before the first signal (os/fork_watch.h).
#pragma once

#include <atomic>

namespace jprof {

// True in the process that has set it; false in the memory of its children.
using ForkMark = std::atomic<bool>;

static_assert(ForkMark::is_always_lock_free);

bool InForkedChild();

// REQUIRES: `mark` stays for the life of the process.
void SetForkMark(const ForkMark* mark);

}  // namespace jprof
