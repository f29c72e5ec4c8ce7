// ThreadConstants: the key of each thread in the recording.
//
// The recorder's thread. A thread is its serial, not its tid; a virtual thread is its id, whatever
// carries it. Within one drain a thread is looked up once; the next drain asks again, for threads
// name themselves late and may be renamed.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "recording/jfr/constant_pools.h"
#include "recording/virtual_names.h"
#include "threads/thread_registry.h"

namespace jprof {

class ThreadConstants {
 public:
  ThreadConstants(ThreadRegistry& registry, VirtualNames& names, ConstantPools& pools)
      : registry_(registry), names_(names), pools_(pools) {}

  void BeginDrain();
  uint32_t KeyOf(uint32_t serial, Tid tid);
  uint32_t KeyOfVirtual(int64_t id);

 private:
  uint32_t GroupKeyOf(const JavaThreadInfo& info);

  ThreadRegistry& registry_;
  VirtualNames& names_;
  ConstantPools& pools_;
  std::unordered_map<uint32_t, uint32_t> keys_;         // by serial, of this drain
  std::unordered_map<int64_t, uint32_t> virtual_keys_;  // by id, of this drain
};

}  // namespace jprof
