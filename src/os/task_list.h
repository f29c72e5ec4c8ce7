// The threads of this process as the kernel lists them in /proc/self/task. Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "sigsafe/base/types.h"

namespace jprof {

// Every thread alive at some moment of the call, in ascending order of directory position.
Result<std::vector<Tid>> ListTasks();

// How many threads there are now: one system call. -1 if /proc does not tell.
int CountTasks();

// The kernel's name of a thread (at most 15 bytes); empty when it is gone.
std::string TaskName(Tid tid);

// When a thread started, in clock ticks since boot (field 22 of stat): with the tid it identifies
// the thread, for tids are reused. 0 when it is gone.
uint64_t TaskStartTicks(Tid tid);

}  // namespace jprof
