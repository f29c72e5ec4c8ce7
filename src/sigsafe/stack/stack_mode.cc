#include "sigsafe/stack/stack_mode.h"

#include <atomic>

namespace jprof {
namespace {

// relaxed: a walk under way at a change of sessions may still use the old one.
std::atomic<StackMode> g_mode{StackMode::kAgct};
static_assert(std::atomic<StackMode>::is_always_lock_free);

}  // namespace

void SetStackMode(StackMode mode) { g_mode.store(mode, std::memory_order_relaxed); }

StackMode GetStackMode() { return g_mode.load(std::memory_order_relaxed); }

}  // namespace jprof
