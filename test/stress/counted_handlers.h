// The two profiling handlers, with counts of the weight that was begun and finished, by run.
//
// A handler belongs to the run that OpenBooks named when the handler began. It has finished in this
// run if the books were still open when it ended. Between its start and end, a handler runs the
// code under test.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>

#include "sigsafe/base/types.h"

namespace jprof::test {

struct WorkerBooks {
  std::atomic<Nanos> last_wall_ns{0};  // time before the last wall handler that finished in the run
};

// Install the first handler for SIGPROF, as from a timer, and the second for SIGVTALRM, as from the
// wall engine.
void CountedCpuHandler(int signal, siginfo_t* info, void* ucontext);
void CountedWallHandler(int signal, siginfo_t* info, void* ucontext);

// Sets the books of the calling thread. Called before its first signal.
void SetWorkerBooks(WorkerBooks* books);

void OpenBooks(uint32_t run);
void CloseBooks();

// StopAdmitting makes handlers return at once, and returns when no handler is running.
void StopAdmitting();
void StartAdmitting();

// Return CPU weight: of handlers that began and ended in the open run; that began at any time; that
// ended at any time.
uint64_t FinishedInRun();
uint64_t TotalStarted();
uint64_t TotalEnded();

}  // namespace jprof::test
