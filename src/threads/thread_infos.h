// ThreadInfos: the ThreadInfo of each thread by serial. The ThreadInfo of an ended thread stays
// until Forget.
//
// Part of ThreadRoster, guarded by its lock. A ThreadInfo is immutable: a caller of Find may read
// it without the lock.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "threads/thread_info.h"

namespace jprof {

class ThreadInfos {
 public:
  void Add(uint32_t serial, Tid tid);

  // nullptr: the serial is unknown or has been removed by Forget.
  std::shared_ptr<const ThreadInfo> Find(uint32_t serial) const;

  // REQUIRES: the serial is known, here and below.
  const ThreadInfo& At(uint32_t serial) const { return *infos_.at(serial); }
  void SetOsName(uint32_t serial, std::string name);
  void SetJava(uint32_t serial, JavaThreadInfo java);
  void End(uint32_t serial) { ended_.push_back(serial); }

  // The serials of ended threads, in the order of their ends.
  const std::vector<uint32_t>& Ended() const { return ended_; }
  // Removes ended threads. REQUIRES: `serials` is a prefix of Ended().
  void Forget(const std::vector<uint32_t>& serials);

  // The serials of all threads that have not been removed.
  std::unordered_set<uint64_t> Known() const;

 private:
  std::unordered_map<uint32_t, std::shared_ptr<const ThreadInfo>> infos_;
  std::vector<uint32_t> ended_;
};

}  // namespace jprof
