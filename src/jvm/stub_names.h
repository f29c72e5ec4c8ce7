// StubNames: the VM's names of the code that it generates for itself: stubs, the interpreter, and
// dispatch through method tables.
//
// Thread-safe: Add runs on the thread that generates code (JVMTI's DynamicCodeGenerated), Find and
// EraAt on the recorder's thread. A stub stays until others take its addresses: the VM tells of no
// end (it frees stubs of the foreign function API). Bounded by the size of the code cache, and by
// kMaxReplaced stubs that were there before.
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
  uint32_t id = 0;   // one for each name and range; 0: no stub
  std::string name;  // empty: not known
};

class StubNames final : public JvmEventListener {
 public:
  static constexpr size_t kMaxReplaced = 4096;

  void OnDynamicCodeGenerated(jvmtiEnv*, const char* name, const void* start, jint size) override;

  // The code at `start` has the name from `now_ns` on (CLOCK_MONOTONIC), and from the beginning if
  // nothing is known to have been there before.
  void Add(uint64_t start, uint64_t size, std::string name, Nanos now_ns);

  // The stub at the address `pc` at that time.
  StubName Find(uint64_t pc, Nanos time_ns) const;

  // Equal for two times: Find answers the same for both.
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

  // Returns whether there was a stub in the range.
  bool Replace(uint64_t start, uint64_t end, Nanos now_ns);

  mutable std::mutex mutex_;        // guards all below
  std::map<uint64_t, Stub> stubs_;  // by start; disjoint
  std::deque<Replaced> replaced_;   // by to_ns, ascending
  uint64_t dropped_ = 0;            // of replaced_
  uint32_t last_id_ = 0;
};

}  // namespace jprof
