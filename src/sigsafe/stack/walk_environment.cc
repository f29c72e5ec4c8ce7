#include "sigsafe/stack/walk_environment.h"

#include <atomic>

#include "sigsafe/base/check.h"

namespace jprof {
namespace {

constinit const WalkEnvironment g_nothing_known{};

// seq_cst for stores and loads, as for the claim of a walk buffer (SlotPool::Claim): see
// walk_environment.h.
std::atomic<const WalkEnvironment*> g_environment{&g_nothing_known};
static_assert(std::atomic<const WalkEnvironment*>::is_always_lock_free);

}  // namespace

const WalkEnvironment& TheWalkEnvironment() {
  return *g_environment.load(std::memory_order_seq_cst);
}

void UseWalkEnvironment(const WalkEnvironment* environment) {
  JPROF_CHECK(environment != nullptr);
  JPROF_CHECK(environment->faults == LoadFaults::kFatal || environment->vm != nullptr);
  g_environment.store(environment, std::memory_order_seq_cst);
}

}  // namespace jprof
