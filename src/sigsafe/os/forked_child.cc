#include "sigsafe/os/forked_child.h"

namespace jprof {
namespace {

// Stored with release in SetForkMark, loaded with acquire in InForkedChild. nullptr: the profiler
// is not active yet.
std::atomic<const ForkMark*> g_mark{nullptr};

}  // namespace

bool InForkedChild() {
  const ForkMark* mark = g_mark.load(std::memory_order_acquire);
  // relaxed: the mark changes only between two processes, never during a read.
  return mark != nullptr && !mark->load(std::memory_order_relaxed);
}

void SetForkMark(const ForkMark* mark) { g_mark.store(mark, std::memory_order_release); }

}  // namespace jprof
