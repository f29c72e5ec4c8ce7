#include "call_traces/preserved_call_traces.h"

#include <cstring>
#include <utility>

namespace jprof {
namespace {

// The approximate number of bytes that the map and the allocator add to a copy.
constexpr size_t kEntryOverhead = 80;

size_t Cost(const CallTrace& trace) {
  return CallTrace::SizeFor(trace.frame_count) + kEntryOverhead;
}

}  // namespace

const CallTrace* PreservedCallTraces::Find(CallTraceId id) const {
  const auto found = traces_.find(Value(id));
  return found == traces_.end() ? nullptr : AsCallTrace(found->second);
}

void PreservedCallTraces::DropDead(const LiveCallTraces& live) {
  for (auto entry = traces_.begin(); entry != traces_.end();) {
    if (live.Has(CallTraceId{entry->first})) {
      ++entry;
      continue;
    }
    bytes_ -= Cost(*AsCallTrace(entry->second));
    entry = traces_.erase(entry);
  }
}

void PreservedCallTraces::Adopt(const LiveCallTraces& live, const CallTraceHashTable& ended,
                                const std::function<void(const CallTrace&)>& keep) {
  for (const uint64_t id : live.ids_) {
    const CallTrace* trace = ended.Find(CallTraceId{id});
    if (trace == nullptr) continue;
    const size_t size = CallTrace::SizeFor(trace->frame_count);
    Copy copy(new uint8_t[size]);
    std::memcpy(copy.get(), trace, size);
    if (traces_.emplace(id, std::move(copy)).second) bytes_ += Cost(*trace);
    keep(*trace);
  }
  while (bytes_ > limit_bytes_ && !traces_.empty()) {
    bytes_ -= Cost(*AsCallTrace(traces_.begin()->second));
    traces_.erase(traces_.begin());
  }
}

}  // namespace jprof
