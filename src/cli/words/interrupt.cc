#include "cli/words/interrupt.h"

#include <poll.h>
#include <time.h>

#include <atomic>

namespace jprof {
namespace {

// Accessed in relaxed order: only jprof's thread and the handler on that thread use the flag.
std::atomic<bool> g_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void OnSignal(int) { g_requested.store(true, std::memory_order_relaxed); }

}  // namespace

// Blocks the signals in kSignals. Only WaitUntil unblocks them, atomically with the start of its
// sleep (ppoll). A signal that arrives after WaitUntil has checked g_requested therefore ends the
// sleep.
Interrupt::Interrupt() {
  g_requested.store(false, std::memory_order_relaxed);
  sigset_t blocked;
  sigemptyset(&blocked);
  for (const int signal : kSignals) sigaddset(&blocked, signal);
  sigprocmask(SIG_BLOCK, &blocked, &previous_mask_);
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &previous_actions_[i]);
    if (previous_actions_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

Interrupt::~Interrupt() {
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &previous_actions_[i], nullptr);
  }
  sigprocmask(SIG_SETMASK, &previous_mask_, nullptr);
}

bool Interrupt::IsRequested() const { return g_requested.load(std::memory_order_relaxed); }

bool Interrupt::IsRequestedNow() const {
  WaitUntil(Deadline::In(0), -1);
  return IsRequested();
}

void Interrupt::WaitUntil(const Deadline& deadline, int fd) const {
  if (IsRequested()) return;
  const int millis = deadline.MillisLeft();
  const timespec timeout{millis / 1000, long{millis % 1000} * 1'000'000};
  pollfd readable{fd, POLLIN, 0};
  ppoll(&readable, 1, &timeout, &previous_mask_);
}

}  // namespace jprof
