// The two profiling handlers, wrapped so that they count the weight which they have started and
// finished, by run.
//
// A handler belongs to the run that was being counted (StartCounting) when it began. It has
// finished in this run if the run was still being counted when it ended. In between, the wrapper
// runs the real handler, which is the code under test.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>

#include "sigsafe/base/types.h"

namespace jprof::test {

struct WorkerCounts {
  std::atomic<Nanos> last_wall_ns{0};  // start of the last wall handler that finished in the run
};

// Handlers to install: the first one for SIGPROF, as if sent by a timer, and the second one for
// SIGVTALRM, as if sent by the engine wall.
void CountedCpuHandler(int signal, siginfo_t* info, void* ucontext);
void CountedWallHandler(int signal, siginfo_t* info, void* ucontext);

// Sets the counts of the calling thread. Called before its first signal.
void SetWorkerCounts(WorkerCounts* counts);

void StartCounting(uint32_t run);
void StopCounting();

// StopAdmitting makes new handlers return at once, and returns when no handler is running any more.
void StopAdmitting();
void StartAdmitting();

// Return sums of CPU weight: of handlers that started and finished in the current run; of all
// handlers that have started; of all that have ended.
uint64_t FinishedInRun();
uint64_t TotalStarted();
uint64_t TotalEnded();

}  // namespace jprof::test
