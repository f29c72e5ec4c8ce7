#include "sigsafe/os/forked_child.h"

namespace jprof {
namespace {

// release in SetForkMark, acquire in InForkedChild. nullptr: nothing of ours is at work yet.
std::atomic<const ForkMark*> g_mark{nullptr};

}  // namespace

bool InForkedChild() {
  const ForkMark* mark = g_mark.load(std::memory_order_acquire);
  // relaxed: changes between two processes only, never beside a reader.
  return mark != nullptr && !mark->load(std::memory_order_relaxed);
}

void SetForkMark(const ForkMark* mark) { g_mark.store(mark, std::memory_order_release); }

}  // namespace jprof
