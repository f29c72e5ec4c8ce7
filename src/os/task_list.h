// The threads of this process as the kernel lists them in /proc/self/task. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sigsafe/base/types.h"

namespace jprof {

// The signals that a thread blocks, and whether the thread sleeps, as reported by the kernel.
// Thread-safe; not for handlers.

// nullopt: the thread has exited, or /proc is not available. Reads a file.
std::optional<bool> TaskBlocksSignal(Tid tid, int signal);

// Whether the thread waits in the kernel, and neither runs nor could run. As above.
std::optional<bool> TaskSleeps(Tid tid);

// `status`: the text of /proc/self/task/N/status, proc(5).
std::optional<bool> ParseBlocksSignal(std::string_view status, int signal);
std::optional<bool> ParseSleeps(std::string_view status);

// The live threads, in ascending order of directory position. While other threads exit, the kernel
// may omit a live thread (Linux v6.1 fs/proc/base.c, first_tid and next_tid): before a thread is
// considered exited, ask TaskExists.
Result<std::vector<Tid>> ListTasks();

// Whether a thread is alive: one system call.
bool TaskExists(Tid tid);

// The number of threads: one system call. -1: unknown.
int CountTasks();

// The kernel's name of a thread (at most 15 bytes); empty if it has exited.
std::string TaskName(Tid tid);

// The name of the calling thread: one system call, no file.
std::string CurrentTaskName();

// The text of its stat; empty if it has exited.
std::string TaskStat(Tid tid);

// The text of its schedstat; empty if it has exited, or the kernel has no schedstat.
std::string TaskSchedstat(Tid tid);

// The system call that it waits in, as in /proc/pid/syscall, proc(5). The thread is not disturbed.
// Empty: it has exited, or the kernel does not report it.
std::string TaskSyscall(Tid tid);

// When a thread started, in clock ticks since boot (field 22 of stat): together with the tid this
// identifies the thread, since tids are reused. 0: it has exited.
uint64_t TaskStartTicks(Tid tid);

}  // namespace jprof
