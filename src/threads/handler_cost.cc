#include "threads/handler_cost.h"

namespace jprof {

HandlerCost TakeHandlerCost(ThreadSlots& slots) {
  HandlerCost cost;
  for (uint32_t i = 0; i < slots.HighWater(); ++i) {
    ThreadSlot& slot = *slots.At(i);
    // Most threads have none: the slots of threads that sleep are not written to.
    if (slot.handler_ns.load(std::memory_order_relaxed) == 0) continue;
    cost.handler_ns += slot.handler_ns.exchange(0, std::memory_order_relaxed);
    cost.walk_ns += slot.walk_ns.exchange(0, std::memory_order_relaxed);
  }
  return cost;
}

}  // namespace jprof
