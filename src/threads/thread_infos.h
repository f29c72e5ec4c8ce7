// ThreadInfos: who each thread is or was, by serial. What is known of an ended thread stays until
// it is forgotten.
//
// Part of ThreadRegistry, under its lock. What it hands out never changes: whoever holds it may
// read it without the lock.
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

  // nullptr if the serial is not known, or forgotten.
  std::shared_ptr<const ThreadInfo> Find(uint32_t serial) const;

  // REQUIRES: the serial is known, here and below.
  const ThreadInfo& At(uint32_t serial) const { return *infos_.at(serial); }
  void SetOsName(uint32_t serial, std::string name);
  void SetJava(uint32_t serial, JavaThreadInfo java);
  void End(uint32_t serial) { ended_.push_back(serial); }

  // Those that ended, in that order. Forget: what Ended returned at some time, the front of the
  // list by now.
  const std::vector<uint32_t>& Ended() const { return ended_; }
  void Forget(const std::vector<uint32_t>& serials);

  // The serials of all that are not forgotten.
  std::unordered_set<uint64_t> Known() const;

 private:
  std::unordered_map<uint32_t, std::shared_ptr<const ThreadInfo>> infos_;
  std::vector<uint32_t> ended_;
};

}  // namespace jprof
