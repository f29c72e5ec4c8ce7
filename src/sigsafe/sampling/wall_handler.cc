#include "sigsafe/sampling/wall_handler.h"

#include <ucontext.h>

#include <optional>

#include "sigsafe/os/forked_child.h"
#include "sigsafe/os/handler_scope.h"
#include "sigsafe/sampling/activity.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/sampling/signal_cookie.h"

namespace jprof {

namespace {

// Where the user's queue of signals is full (RLIMIT_SIGPENDING), the kernel sends the signal
// without what the sender has said, as if from a process of another namespace (Linux v6.1
// kernel/signal.c, __send_signal_locked and collect_signal).
bool HasLostItsContents(const siginfo_t& info) {
  return info.si_code == SI_USER && info.si_pid == 0;
}

// nullopt: the engine has not sent it.
std::optional<uint32_t> RecordMeantBy(const siginfo_t& info) {
  if (IsOurs(info, SI_QUEUE)) return RecordIndex(info);
  return HasLostItsContents(info) ? RecordCalledByWallClock() : std::nullopt;
}

}  // namespace

void WallHandler(int, siginfo_t* info, void* ucontext) {
  const HandlerScope scope;
  if (InForkedChild()) return;
  const std::optional<uint32_t> record_index = RecordMeantBy(*info);
  if (!record_index) return;
  const ThreadActivity activity = ActivityAt(static_cast<const ucontext_t*>(ucontext));
  TakeSample({SampleKind::kWall, activity, *record_index, 1, ucontext});
}

}  // namespace jprof
