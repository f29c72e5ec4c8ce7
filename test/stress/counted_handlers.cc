#include "stress/counted_handlers.h"

#include <sched.h>

#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/signal_handlers.h"

namespace jprof::test {
namespace {

std::atomic<uint32_t> g_run{0};
std::atomic<bool> g_admitting{true};
std::atomic<uint32_t> g_inside{0};
std::atomic<uint64_t> g_finished_in_run{0};
std::atomic<uint64_t> g_begun{0};
std::atomic<uint64_t> g_ended{0};

constinit thread_local WorkerCounts* t_counts = nullptr;

// Calls body(run) if handlers are admitted.
template <typename Body>
void IfAdmitted(Body&& body) {
  g_inside.fetch_add(1);
  if (g_admitting.load()) body(g_run.load());
  g_inside.fetch_sub(1);
}

bool IsCounting(uint32_t run) { return run != 0 && g_run.load() == run; }

}  // namespace

void CountedCpuHandler(int signal, siginfo_t* info, void* ucontext) {
  IfAdmitted([&](uint32_t run) {
    const uint64_t weight = 1 + static_cast<uint64_t>(info->si_overrun);
    g_begun.fetch_add(weight);
    CpuHandler(signal, info, ucontext);
    if (IsCounting(run)) g_finished_in_run.fetch_add(weight);
    g_ended.fetch_add(weight);
  });
}

void CountedWallHandler(int signal, siginfo_t* info, void* ucontext) {
  IfAdmitted([&](uint32_t run) {
    const Nanos before_ns = MonotonicNanos();
    WallHandler(signal, info, ucontext);
    if (IsCounting(run)) t_counts->last_wall_ns = before_ns;
  });
}

void SetWorkerCounts(WorkerCounts* counts) { t_counts = counts; }

void StartCounting(uint32_t run) {
  g_finished_in_run = 0;
  g_run = run;
}

void StopCounting() { g_run = 0; }

void StopAdmitting() {
  g_admitting = false;
  while (g_inside.load() != 0) sched_yield();
}

void StartAdmitting() { g_admitting = true; }

uint64_t FinishedInRun() { return g_finished_in_run; }
uint64_t TotalStarted() { return g_begun; }
uint64_t TotalEnded() { return g_ended; }

}  // namespace jprof::test
