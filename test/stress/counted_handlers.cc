#include "stress/counted_handlers.h"

#include <sched.h>

#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/cpu_handler.h"
#include "sigsafe/sampling/wall_handler.h"

namespace jprof::test {
namespace {

std::atomic<uint32_t> g_session{0};
std::atomic<bool> g_admitting{true};
std::atomic<uint32_t> g_inside{0};
std::atomic<uint64_t> g_finished_in_session{0};
std::atomic<uint64_t> g_begun{0};
std::atomic<uint64_t> g_ended{0};

constinit thread_local WorkerBooks* t_books = nullptr;

// Calls body(session) if handlers are admitted.
template <typename Body>
void IfAdmitted(Body&& body) {
  g_inside.fetch_add(1);
  if (g_admitting.load()) body(g_session.load());
  g_inside.fetch_sub(1);
}

bool StillOpen(uint32_t session) { return session != 0 && g_session.load() == session; }

}  // namespace

void CountedCpuHandler(int signal, siginfo_t* info, void* ucontext) {
  IfAdmitted([&](uint32_t session) {
    const uint64_t weight = 1 + static_cast<uint64_t>(info->si_overrun);
    g_begun.fetch_add(weight);
    CpuHandler(signal, info, ucontext);
    if (StillOpen(session)) g_finished_in_session.fetch_add(weight);
    g_ended.fetch_add(weight);
  });
}

void CountedWallHandler(int signal, siginfo_t* info, void* ucontext) {
  IfAdmitted([&](uint32_t session) {
    const Nanos before_ns = MonotonicNanos();
    WallHandler(signal, info, ucontext);
    if (StillOpen(session)) t_books->last_wall_ns = before_ns;
  });
}

void SetWorkerBooks(WorkerBooks* books) { t_books = books; }

void OpenBooks(uint32_t session) {
  g_finished_in_session = 0;
  g_session = session;
}

void CloseBooks() { g_session = 0; }

void StopAdmitting() {
  g_admitting = false;
  while (g_inside.load() != 0) sched_yield();
}

void StartAdmitting() { g_admitting = true; }

uint64_t FinishedInSession() { return g_finished_in_session; }
uint64_t BegunEver() { return g_begun; }
uint64_t EndedEver() { return g_ended; }

}  // namespace jprof::test
