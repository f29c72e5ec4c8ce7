// ThreadConstants: the key of each thread in the recording.
//
// The recorder's thread. A thread is its serial, not its tid. Within one drain a thread is looked
// up once; the next drain asks again, for threads name themselves late and may be renamed.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "recording/jfr/constant_pools.h"
#include "threads/thread_registry.h"

namespace jprof {

class ThreadConstants {
 public:
  ThreadConstants(ThreadRegistry& registry, ConstantPools& pools)
      : registry_(registry), pools_(pools) {}

  void BeginDrain() { keys_.clear(); }
  uint32_t KeyOf(uint32_t serial, Tid tid);

 private:
  uint32_t GroupKeyOf(const JavaThreadInfo& info);

  ThreadRegistry& registry_;
  ConstantPools& pools_;
  std::unordered_map<uint32_t, uint32_t> keys_;  // by serial, of this drain
};

}  // namespace jprof
