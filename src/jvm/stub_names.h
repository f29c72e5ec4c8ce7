// StubNames holds the VM's names of the code that the VM generates for itself: stubs, the
// interpreter, and dispatch through method tables.
//
// Thread-safe: Add runs on the thread that generates code (JVMTI's DynamicCodeGenerated), Find and
// EraAt on the recorder's thread. The VM frees some stubs, such as those of the foreign function
// API, without an event. So a stub is kept here until new code takes its addresses. Bounded by the
// size of the code cache, and by kMaxReplaced stubs that were replaced.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>

#include "jvm/jvm_events.h"
#include "sigsafe/base/types.h"

namespace jprof {

struct StubName {
  uint32_t id = 0;   // one for each name and range; 0 if there is no stub
  std::string name;  // empty if not known
};

class StubNames final : public JvmEventListener {
 public:
  static constexpr size_t kMaxReplaced = 4096;

  void OnDynamicCodeGenerated(jvmtiEnv*, const char* name, const void* start, jint size) override;

  // Adds the name of the code at `start`. The name holds from `now_ns` on (CLOCK_MONOTONIC), and
  // for all earlier times if no other stub is known at those addresses.
  void Add(uint64_t start, uint64_t size, std::string name, Nanos now_ns);

  // Returns the name of the stub that was at the address `pc` at `time_ns`; an empty StubName if
  // there was none.
  StubName Find(uint64_t pc, Nanos time_ns) const;

  // Returns a number that identifies the stubs at `time_ns`. If the numbers of two times are equal,
  // Find gives the same answers for both times.
  uint64_t EraAt(Nanos time_ns) const;

 private:
  struct Stub {
    uint64_t end;
    StubName name;
    Nanos from_ns;
  };
  struct Replaced {
    uint64_t start;
    Stub stub;
    Nanos to_ns;
  };

  // Moves all stubs in the range to replaced_. Returns true if there was at least one.
  bool Replace(uint64_t start, uint64_t end, Nanos now_ns);

  mutable std::mutex mutex_;        // guards all below
  std::map<uint64_t, Stub> stubs_;  // keyed by start; disjoint
  std::deque<Replaced> replaced_;   // in ascending order of to_ns
  uint64_t dropped_ = 0;            // stubs removed from replaced_
  uint32_t last_id_ = 0;
};

}  // namespace jprof
