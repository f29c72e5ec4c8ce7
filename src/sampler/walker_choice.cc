#include "sampler/walker_choice.h"

#include <utility>

#include "base/log.h"
#include "jvm/signal_checks.h"
#include "sigsafe/base/check.h"
#include "sigsafe/sampling/sampling_state.h"
#include "stack/walk_environments.h"

namespace jprof {
namespace {

StackMode ModeOf(StackWalker walker) {
  switch (walker) {
    case StackWalker::kVm:
      return StackMode::kVm;
    case StackWalker::kVmx:
      return StackMode::kVmx;
    case StackWalker::kFp:
      return StackMode::kFp;
    case StackWalker::kNo:
      return StackMode::kNo;
    case StackWalker::kAgct:
      break;
  }
  return StackMode::kAgct;
}

void SetStackMode(StackMode mode) {
  ChangeWalkEnvironment([mode](WalkEnvironment& next) { next.mode = mode; });
}

}  // namespace

std::unique_ptr<VmWalking> ChooseWalker(StackWalker walker, JvmConnection& jvm) {
  JPROF_CHECK(!Sampling().traces.active());
  SetStackMode(ModeOf(walker));
  if (walker == StackWalker::kAgct) return nullptr;
  Status possible = jvm.hotspot.walk;
  if (possible && JvmChecksSignalHandlers(jvm.structs)) {
    possible = Error(
        "-Xcheck:jni watches over the signal handlers: with -XX:+AllowUserSignalHandlers, or "
        "libjsig.so preloaded, it does not");
  }
  if (possible) {
    Result<std::unique_ptr<VmWalking>> walking = VmWalking::Begin();
    if (walking) {
      jvm.registry.Ignore(walking.value()->tid());
      return std::move(walking).value();
    }
    possible = walking.error();
  }
  SetStackMode(StackMode::kAgct);
  Log::Warn("stacks are walked by AsyncGetCallTrace: %s", possible.error().message().c_str());
  return nullptr;
}

}  // namespace jprof
