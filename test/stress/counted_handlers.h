// The two profiling handlers, with books kept around them: how much weight was begun and finished,
// and in which run.
//
// A handler belongs to the run that OpenBooks named when it began, and has finished in it if
// the books were still open when it ended. What a handler does between the two is up to the code
// under test.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>

#include "sigsafe/base/types.h"

namespace jprof::test {

struct WorkerBooks {
  std::atomic<Nanos> last_wall_ns{0};  // before the last wall handler that finished in the run
};

// Both: SIGPROF as a timer's, SIGVTALRM as the wall engine's; install them for these signals.
void CountedCpuHandler(int signal, siginfo_t* info, void* ucontext);
void CountedWallHandler(int signal, siginfo_t* info, void* ucontext);

// The books of the calling thread, before its first signal.
void SetWorkerBooks(WorkerBooks* books);

void OpenBooks(uint32_t run);
void CloseBooks();

// While not admitted, handlers return at once. Returns when no handler is running.
void StopAdmitting();
void StartAdmitting();

// Cpu weight: of handlers that began and ended in the open run; and since ever.
uint64_t FinishedInRun();
uint64_t BegunEver();
uint64_t EndedEver();

}  // namespace jprof::test
