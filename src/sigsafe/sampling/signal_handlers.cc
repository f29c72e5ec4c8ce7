#include "sigsafe/sampling/signal_handlers.h"

#include <ucontext.h>

#include <algorithm>
#include <optional>

#include "sigsafe/base/errno_saver.h"
#include "sigsafe/native/native_registers.h"
#include "sigsafe/os/forked_child.h"
#include "sigsafe/sampling/activity.h"
#include "sigsafe/sampling/cpu_sampling.h"
#include "sigsafe/sampling/handler_times.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/sampling/signal_target.h"
#include "sigsafe/sampling/stack_requests.h"
#include "sigsafe/sampling/wall_sampling.h"

namespace jprof {
namespace {

// True if the signal has lost the sender's value. When the user's queue of signals is full
// (RLIMIT_SIGPENDING), the kernel sends the signal without the value, as if from a process of
// another namespace (Linux v6.1 kernel/signal.c, __send_signal_locked and collect_signal).
bool HasLostItsValue(const siginfo_t& info) { return info.si_code == SI_USER && info.si_pid == 0; }

// Returns the index of the slot for which a wall signal was sent; nullopt if the wall engine has
// not sent the signal.
std::optional<uint32_t> TargetSlotOf(const siginfo_t& info) {
  if (IsOurs(info, SI_QUEUE)) return SlotIndex(info);
  return HasLostItsValue(info) ? UnansweredSlot() : std::nullopt;
}

std::atomic<bool> g_process_timer_is_ours{false};

// The origin of a signal from a trigger of the cpu engine: the slot of the thread for which the
// signal was sent, and the number of intervals that have expired.
struct Origin {
  uint32_t slot_index;
  uint32_t expiries;
};

std::optional<Origin> OriginOf(const siginfo_t& info) {
  // If a timer expires while its previous signal is still pending, the kernel sends no further
  // signal and counts the expiry in si_overrun.
  if (IsOurs(info, SI_TIMER)) {
    return Origin{SlotIndex(info), 1 + static_cast<uint32_t>(std::max(info.si_overrun, 0))};
  }
  if (info.si_code == POLL_IN || info.si_code == POLL_HUP) {
    const uint32_t owner = OwnerOfDescriptor(info.si_fd);
    if (owner < kFirstOfWindows) return Origin{owner, 1};
  }
  // The signal is from the process-wide timer: the CPU clock of the running thread shows whether a
  // sample is due.
  if (info.si_code == SI_KERNEL && ProcessTimerIsOurs().load(std::memory_order_relaxed)) {
    return Origin{kCurrentThread, 0};
  }
  return std::nullopt;
}

}  // namespace

void WallHandler(int, siginfo_t* info, void* ucontext) {
  const ErrnoSaver errno_saver;
  if (InForkedChild()) return;
  const std::optional<uint32_t> slot_index = TargetSlotOf(*info);
  if (!slot_index) return;
  const auto* interrupted = static_cast<const ucontext_t*>(ucontext);
  TakeWallSample(*slot_index, ActivityAt(interrupted), NativeRegistersOf(interrupted).sp, ucontext);
}

void WindowHandler(int, siginfo_t* info, void*) {
  const ErrnoSaver errno_saver;
  if ((info->si_code != POLL_IN && info->si_code != POLL_HUP) || InForkedChild()) return;
  Sampling().window_breakpoints.fetch_add(1, std::memory_order_relaxed);
  const uint32_t owner = OwnerOfDescriptor(info->si_fd);
  if (owner == kWindowBegins) Sampling().window.Open();
  if (owner == kWindowEnds) Sampling().window.Close();
  if (owner == kWindowTurns) Sampling().window.Turn();
}

void PrimeHandler(int, siginfo_t* info, void*) {
  const ErrnoSaver errno_saver;
  if (!IsOurs(*info, SI_QUEUE) || InForkedChild()) return;
  AdoptSlot(SlotIndex(*info));
}

// A signal that has lost its value is accepted, because a thread without a request does nothing.
void StackHandler(int, siginfo_t* info, void* ucontext) {
  const ErrnoSaver errno_saver;
  const bool is_ours = IsOurs(*info, SI_QUEUE);
  if ((!is_ours && !HasLostItsValue(*info)) || InForkedChild()) return;
  AnswerStackRequests(is_ours ? SlotIndex(*info) : kCurrentThread, ucontext);
}

std::atomic<bool>& ProcessTimerIsOurs() { return g_process_timer_is_ours; }

void CpuHandler(int, siginfo_t* info, void* ucontext) {
  const ErrnoSaver errno_saver;
  const HandlerTimer timer;
  const std::optional<Origin> origin = OriginOf(*info);
  if (!origin || InForkedChild()) return;
  TakeCpuSample(origin->slot_index, origin->expiries, ucontext);
}

}  // namespace jprof
