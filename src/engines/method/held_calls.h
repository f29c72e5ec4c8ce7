// HeldCalls: slow calls on their way to the recording. Of calls of one method inside each other, as
// a recursion has them, the outermost is written, the longest ones in it, and the innermost one;
// the others are counted in the event of the outermost.
//
// Calls end from the innermost outwards, so a call is held until the calls of its method and thread
// that may be around it have ended: until the end of the chunk, or until kMostOpen later calls of
// the method have ended beside it.
//
// The recorder's thread.
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
  // The longest calls inside another one that are written.
  static constexpr size_t kMostInside = 16;
  // The calls of a thread and method, none inside another, that are held.
  static constexpr size_t kMostOpen = 16;
  // Calls that are held at all: some 2 MB.
  static constexpr size_t kMostHeld = 16'384;

  // REQUIRES: `resolved` is a slow call, no loss, with keys of the open chunk.
  void Hold(const ResolvedSample& resolved);

  // After a drain: writes the calls that need not be held longer; at the end of a chunk all.
  void Write(OpenChunk& open);

  // No chunk can be written. Returns the number of events that are not written.
  uint64_t Forget();

 private:
  struct Call {
    MethodTrace event;  // without the key of the method
    uint32_t number;    // of the method
    CallTraceId trace;  // with the next: ContextFields
    uint32_t context;

    Nanos end_ns() const { return event.time_ns + event.duration_ns; }
    // REQUIRES: a call of the same thread and method.
    bool IsAround(const Call& other) const {
      return event.time_ns <= other.event.time_ns && other.end_ns() <= end_ns();
    }
  };

  // A call, and what is inside.
  struct Outermost {
    Call call;
    std::vector<Call> inside = {};       // the longest first
    std::optional<Call> innermost = {};  // of the others the one that ended first
    uint64_t counted = 0;                // the rest, which is not written

    size_t written() const { return 1 + inside.size() + (innermost ? 1 : 0); }
    void Add(const Outermost& inner);

   private:
    void Add(const Call& inner);
    void AddOther(const Call& inner);
  };

  using Key = std::pair<uint32_t, uint32_t>;  // the thread's in the chunk; the method's number

  void EndAll();

  std::map<Key, std::deque<Outermost>> open_;  // by time
  std::vector<Outermost> ended_;               // which are written after the drain
  size_t held_ = 0;                            // calls in both
};

}  // namespace jprof
