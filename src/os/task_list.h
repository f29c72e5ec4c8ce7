// The threads of this process as the kernel lists them in /proc/self/task, the files there about
// each thread, and the name and the stack of the calling thread.
//
// Thread-safe; not for signal handlers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sigsafe/base/types.h"

namespace jprof {

// True if the thread blocks the signal. Returns nullopt if the thread has exited, or /proc is not
// available. Reads a file.
std::optional<bool> TaskBlocksSignal(Tid tid, int signal);

// True if the thread waits in the kernel: it neither runs nor is ready to run. Returns nullopt if
// the thread has exited, or /proc is not available. Reads a file.
std::optional<bool> TaskSleeps(Tid tid);

// Return the results of TaskBlocksSignal and TaskSleeps for `status`, the text of
// /proc/self/task/N/status (proc(5)); nullopt if the text lacks the field.
std::optional<bool> ParseBlocksSignal(std::string_view status, int signal);
std::optional<bool> ParseSleeps(std::string_view status);

// Returns the live threads, in the order of the directory. While other threads exit, the kernel
// sometimes omits a live thread (Linux v6.1 fs/proc/base.c, first_tid and next_tid). So a caller
// must check with TaskExists whether a thread that is not listed has exited.
Result<std::vector<Tid>> ListTasks();

// True if a thread is alive. Costs one system call.
bool TaskExists(Tid tid);

// Returns the number of threads; -1 if unknown. Costs one system call.
int CountTasks();

// Returns the kernel's name of a thread (at most 15 bytes); empty if the thread has exited.
std::string TaskName(Tid tid);

// Returns the name of the calling thread. Costs one system call and reads no file.
std::string CurrentTaskName();

// Returns the bounds of the calling thread's stack, from the C library; both are 0 if unknown. The
// C library allocates memory for this and, for the main thread, reads /proc/self/maps once.
StackBounds OwnStackBounds();

// Returns the text of a thread's file `stat`; empty if the thread has exited.
std::string TaskStat(Tid tid);

// Returns the text of a thread's file `schedstat`; empty if the thread has exited, or the kernel
// has no such file.
std::string TaskSchedstat(Tid tid);

// Returns the system call in which a thread waits, in the format of /proc/pid/syscall (proc(5)).
// Reading it does not disturb the thread. Returns an empty text if the thread has exited, or the
// kernel does not report the call.
std::string TaskSyscall(Tid tid);

// Returns when a thread started, in clock ticks since boot (field 22 of `stat`); 0 if the thread
// has exited. Since tids are reused, only the tid and this time together identify a thread.
uint64_t TaskStartTicks(Tid tid);

}  // namespace jprof
