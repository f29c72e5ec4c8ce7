// ThreadInfos: the ThreadInfo of each thread by serial. The ThreadInfo of an ended thread stays
// until Forget.
//
// Bounded by live threads and kMaxEnded ended ones. Forget follows the end of a thread by a
// fraction of a second, but not while the recorder's thread is blocked, by a file system that
// hangs, say.
//
// Part of ThreadRoster, guarded by its lock. A ThreadInfo is immutable: a caller of Find may read
// it without the lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "threads/thread_info.h"

namespace jprof {

class ThreadInfos {
 public:
  // The most ended threads. Beyond that the threads that ended first are removed.
  static constexpr size_t kMaxEnded = 1 << 18;

  explicit ThreadInfos(size_t max_ended = kMaxEnded) : max_ended_(max_ended) {}

  void Add(uint32_t serial, Tid tid);

  // nullptr: the serial is unknown or has been removed by Forget.
  std::shared_ptr<const ThreadInfo> Find(uint32_t serial) const;

  // REQUIRES: the serial is known, here and below.
  const ThreadInfo& At(uint32_t serial) const { return *infos_.at(serial); }
  void SetOsName(uint32_t serial, std::string name);
  void SetJava(uint32_t serial, JavaThreadInfo java);
  void End(uint32_t serial);

  // The serials of ended threads, in the order of their ends.
  const std::vector<uint32_t>& Ended() const { return ended_; }
  // Removes ended threads. REQUIRES: `serials` is an earlier result of Ended(), and none of it has
  // been removed by Forget.
  void Forget(const std::vector<uint32_t>& serials);

  // The serials of all threads that have not been removed.
  std::unordered_set<uint64_t> Known() const;

 private:
  // Removes the `count` threads that ended first from ended_.
  void DropEnded(size_t count);

  const size_t max_ended_;
  std::unordered_map<uint32_t, std::shared_ptr<const ThreadInfo>> infos_;
  std::vector<uint32_t> ended_;
};

}  // namespace jprof
