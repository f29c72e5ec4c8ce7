#include "threads/handler_cost.h"

namespace jprof {

HandlerCost TakeHandlerCost(ThreadRecords& records) {
  HandlerCost cost;
  for (uint32_t i = 0; i < records.HighWater(); ++i) {
    ProfiledThread& record = *records.At(i);
    // Most threads have none: the records of threads that sleep are not written to.
    if (record.handler_ns.load(std::memory_order_relaxed) == 0) continue;
    cost.handler_ns += record.handler_ns.exchange(0, std::memory_order_relaxed);
    cost.walk_ns += record.walk_ns.exchange(0, std::memory_order_relaxed);
  }
  return cost;
}

}  // namespace jprof
