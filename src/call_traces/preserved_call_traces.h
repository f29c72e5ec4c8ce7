// PreservedCallTraces keeps stacks that are needed after their epoch. LiveCallTraces has the ids of
// these stacks.
//
// Used by the recorder's thread. A stack is kept as a copy under its id. DropDead drops a stack
// that no liveness checker (CallTraceRotation) names any more. If the stacks exceed the limit, the
// stacks of the oldest epochs are dropped, and Find no longer finds their ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <unordered_set>

#include "sigsafe/base/types.h"
#include "sigsafe/stack/call_trace_hash_table.h"

namespace jprof {

// LiveCallTraces has the ids that liveness checkers name.
class LiveCallTraces {
 public:
  void Keep(CallTraceId id) { ids_.insert(Value(id)); }
  bool Has(CallTraceId id) const { return ids_.count(Value(id)) != 0; }

  // Removes all ids, and keeps the memory for the next round.
  void Clear() { ids_.clear(); }

 private:
  friend class PreservedCallTraces;
  std::unordered_set<uint64_t> ids_;
};

class PreservedCallTraces {
 public:
  explicit PreservedCallTraces(size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // Returns the stack with the id; nullptr if it is not kept.
  const CallTrace* Find(CallTraceId id) const;

  // DropDead drops the stacks that are not live. Adopt copies the live stacks of `ended`, a table
  // that is about to be cleared, and calls keep(stack) for each.
  void DropDead(const LiveCallTraces& live);
  void Adopt(const LiveCallTraces& live, const CallTraceHashTable& ended,
             const std::function<void(const CallTrace&)>& keep);

  template <typename Visitor>
  void ForEach(Visitor&& visit) const {
    for (const auto& [id, copy] : traces_) visit(CallTraceId{id}, *AsCallTrace(copy));
  }

  size_t size() const { return traces_.size(); }

 private:
  using Copy = std::unique_ptr<uint8_t[]>;  // a CallTrace and its frames

  static const CallTrace* AsCallTrace(const Copy& copy) {
    return reinterpret_cast<const CallTrace*>(copy.get());
  }

  const size_t limit_bytes_;
  size_t bytes_ = 0;
  std::map<uint64_t, Copy> traces_;  // keyed by id, so the oldest epoch is first
};

}  // namespace jprof
