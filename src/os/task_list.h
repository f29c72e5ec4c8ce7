// The threads of this process as the kernel lists them in /proc/self/task. Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "sigsafe/base/types.h"

namespace jprof {

// The threads that are alive, in ascending order of directory position. While others end, the
// kernel may leave out one that lives on (Linux v6.1 fs/proc/base.c, first_tid and next_tid):
// before a thread is taken for gone, ask TaskExists.
Result<std::vector<Tid>> ListTasks();

// Whether a thread is alive now: one system call.
bool TaskExists(Tid tid);

// How many threads there are now: one system call. -1 if /proc does not tell.
int CountTasks();

// The kernel's name of a thread (at most 15 bytes); empty when it is gone.
std::string TaskName(Tid tid);

// The same of the calling thread: one system call, without a file.
std::string CurrentTaskName();

// The text of its stat; empty when it is gone.
std::string TaskStat(Tid tid);

// The text of its schedstat; empty when it is gone, or this kernel has none.
std::string TaskSchedstat(Tid tid);

// Where it waits in the kernel, as proc(5) writes it down, /proc/pid/syscall. The thread is not
// disturbed. Empty: it is gone, or this kernel does not tell.
std::string TaskSyscall(Tid tid);

// When a thread started, in clock ticks since boot (field 22 of stat): with the tid it identifies
// the thread, for tids are reused. 0 when it is gone.
uint64_t TaskStartTicks(Tid tid);

}  // namespace jprof
