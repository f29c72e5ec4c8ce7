#include "sampler/walker_choice.h"

#include <utility>

#include "base/log.h"
#include "sigsafe/base/check.h"
#include "sigsafe/sampling/sampling_state.h"
#include "walking/walk_environments.h"

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

std::optional<Walking::Use> ChooseWalker(StackWalker walker, JvmConnection& jvm) {
  JPROF_CHECK(!Sampling().traces.active());
  SetStackMode(ModeOf(walker));
  if (walker == StackWalker::kAgct) return std::nullopt;
  Result<Walking::Use> use = jvm.walking.Begin();
  if (use) {
    if (const auto thread = jvm.walking.tables_thread()) jvm.registry.Ignore(*thread);
    return std::move(use).value();
  }
  SetStackMode(StackMode::kAgct);
  Log::Warn("stacks are walked by AsyncGetCallTrace: %s", use.error().message().c_str());
  return std::nullopt;
}

}  // namespace jprof
