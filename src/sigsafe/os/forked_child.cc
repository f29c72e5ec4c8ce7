#include "sigsafe/os/forked_child.h"

namespace jprof {
namespace {

// nullptr until the profiler is active. Stored with release in SetForkMark, loaded with acquire in
// InForkedChild.
std::atomic<const ForkMark*> g_mark{nullptr};

}  // namespace

bool InForkedChild() {
  const ForkMark* mark = g_mark.load(std::memory_order_acquire);
  // relaxed: within one process the mark never changes. Only a fork clears the mark, in the child.
  return mark != nullptr && !mark->load(std::memory_order_relaxed);
}

void SetForkMark(const ForkMark* mark) { g_mark.store(mark, std::memory_order_release); }

}  // namespace jprof
