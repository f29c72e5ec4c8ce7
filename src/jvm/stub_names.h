// StubNames: the VM's names of the code that it generates for itself: stubs, the interpreter, and
// dispatch through method tables.
//
// Thread-safe: Add runs on the thread that generates code (JVMTI's DynamicCodeGenerated), Of on the
// recorder's thread. A name is never removed, only replaced by the name of later code at the same
// address: so the number of names is bounded by the size of the code cache.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "jvm/jvm_events.h"

namespace jprof {

class StubNames final : public JvmEventListener {
 public:
  void OnDynamicCodeGenerated(jvmtiEnv*, const char* name, const void* start, jint size) override;

  void Add(uint64_t start, uint64_t size, std::string name);

  // The name of the code at the address `pc`; empty: not known.
  std::string Of(uint64_t pc) const;

 private:
  struct Stub {
    uint64_t end;
    std::string name;
  };

  mutable std::mutex mutex_;
  std::map<uint64_t, Stub> stubs_;  // by start; guarded by mutex_
};

}  // namespace jprof
