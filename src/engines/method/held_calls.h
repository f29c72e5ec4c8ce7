// HeldCalls: holds slow calls on their way to the recording. If calls to one method are nested, as
// in a recursion, the outermost call, the longest calls in it, and the innermost call are written;
// the others are counted in the event of the outermost call.
//
// Calls end from the innermost outwards, so a call is held until every call to the same method
// around it on the same thread must have ended: until the end of the chunk, or until kMostOpen
// later calls to the method that are not around it have ended.
//
// Used on the recorder's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "call_traces/call_trace_rotation.h"
#include "chunks/chunk_participant.h"
#include "engines/method/method_sampling.h"
#include "jfr/writer/jfr_events.h"

namespace jprof {

class HeldCalls {
 public:
  // The most calls inside another call that are written, not counting the innermost.
  static constexpr size_t kMostInside = 16;
  // The most outermost calls to one method that are held for one thread.
  static constexpr size_t kMostOpen = 16;
  // The most calls that are held beyond a drain: some 2 MB.
  static constexpr size_t kMostHeld = 16'384;

  // Holds the call. REQUIRES: `resolved` is a slow call, no loss, with keys of the open chunk.
  void Hold(const ResolvedSample& resolved);

  // Writes, after a drain, the calls that need not be held longer; at the end of a chunk all calls.
  void Write(OpenChunk& open);

  // Drops all calls, because no chunk can be written. Returns the number of events that are not
  // written.
  uint64_t Forget();

 private:
  struct Call {
    MethodTrace event;  // event without the key of the method
    uint32_t number;    // number of the method
    CallTraceId trace;  // argument of ContextFields::ValuesOf, as `context`
    uint32_t context;

    Nanos end_ns() const { return event.time_ns + event.duration_ns; }
    // True if this call is around `other`. REQUIRES: both are of the same thread and method.
    bool IsAround(const Call& other) const {
      return event.time_ns <= other.event.time_ns && other.end_ns() <= end_ns();
    }
  };

  // A call, and the calls inside it.
  struct Outermost {
    Call call;
    std::vector<Call> inside = {};       // longest calls, the longest first
    std::optional<Call> innermost = {};  // first call to end of those that are not in `inside`
    uint64_t counted = 0;                // number of the other calls, which are not written

    size_t written() const { return 1 + inside.size() + (innermost ? 1 : 0); }
    void Add(const Outermost& inner);

   private:
    void Add(const Call& inner);
    void AddOther(const Call& inner);
  };

  using Key = std::pair<uint32_t, uint32_t>;  // key of the thread in the chunk, method's number

  void EndAll();

  std::map<Key, std::deque<Outermost>> open_;  // each deque ordered by time
  std::vector<Outermost> ended_;               // calls that are written after the drain
  size_t held_ = 0;                            // number of events of open_ and ended_
};

}  // namespace jprof
