#include "sigsafe/sampling/wall_handler.h"

#include <ucontext.h>

#include <optional>

#include "sigsafe/native/native_registers.h"
#include "sigsafe/os/forked_child.h"
#include "sigsafe/os/handler_scope.h"
#include "sigsafe/sampling/activity.h"
#include "sigsafe/sampling/signal_cookie.h"
#include "sigsafe/sampling/wall_sampling.h"

namespace jprof {

namespace {

// Where the user's queue of signals is full (RLIMIT_SIGPENDING), the kernel sends the signal
// without the sender's value, as if from a process of another namespace (Linux v6.1
// kernel/signal.c, __send_signal_locked and collect_signal).
bool HasLostItsValue(const siginfo_t& info) { return info.si_code == SI_USER && info.si_pid == 0; }

// nullopt: the engine has not sent it.
std::optional<uint32_t> SlotMeantBy(const siginfo_t& info) {
  if (IsOurs(info, SI_QUEUE)) return SlotIndex(info);
  return HasLostItsValue(info) ? SlotThatOwesAnAnswer() : std::nullopt;
}

}  // namespace

void WallHandler(int, siginfo_t* info, void* ucontext) {
  const HandlerScope scope;
  if (InForkedChild()) return;
  const std::optional<uint32_t> slot_index = SlotMeantBy(*info);
  if (!slot_index) return;
  const auto* interrupted = static_cast<const ucontext_t*>(ucontext);
  TakeWallSample(*slot_index, ActivityAt(interrupted), NativeRegistersOf(interrupted).sp, ucontext);
}

}  // namespace jprof
