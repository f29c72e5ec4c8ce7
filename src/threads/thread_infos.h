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
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sigsafe/base/types.h"

namespace jprof {

// ThreadInfo: the description of a thread in a recording, copied while the thread was alive. A
// plain value: any thread.

// The part that comes from the JVM. All strings are UTF-8.
struct JavaThreadInfo {
  std::string name;
  int64_t id = 0;                       // java.lang.Thread.threadId(); 0: not a Java thread
  std::vector<std::string> group_path;  // names of thread groups, the root first; may be empty

  bool operator==(const JavaThreadInfo&) const = default;
};

struct ThreadInfo {
  uint32_t serial = 0;  // ThreadSlot::serial: unique, while a tid may be reused
  Tid tid{0};
  std::string os_name;  // the kernel's name of the thread, at most 15 bytes
  JavaThreadInfo java;
};

class ThreadInfos {
 public:
  // The most ended threads. Beyond that the threads that ended first are removed.
  static constexpr size_t kMaxEnded = 1 << 18;

  explicit ThreadInfos(size_t max_ended = kMaxEnded) : max_ended_(max_ended) {}

  void Add(uint32_t serial, Tid tid);

  // nullptr: the serial is unknown or has been removed by Forget.
  std::shared_ptr<const ThreadInfo> Find(uint32_t serial) const;
  // Returns what Find returned while the thread had the name that it had at `time_ns`, as far as
  // the name was read then; nullptr as above.
  std::shared_ptr<const ThreadInfo> Find(uint32_t serial, Nanos time_ns) const;
  // The moment from which on the thread has its newest name; 0: it has always had that name.
  // 0 for unknown serials.
  Nanos NamedSince(uint32_t serial) const;

  // REQUIRES: the serial is known, here and below.
  const ThreadInfo& At(uint32_t serial) const { return *infos_.at(serial); }
  // A name that differs from the thread's last one holds from `last_read_ns` on: the moment at
  // which the last one was seen for the last time. The last one is kept for earlier samples. Of a
  // Java thread only the Java name counts, of others only the kernel's.
  void SetOsName(uint32_t serial, std::string name, Nanos last_read_ns);
  void SetJava(uint32_t serial, JavaThreadInfo java, Nanos last_read_ns);
  void End(uint32_t serial);

  // The serials of ended threads, in the order of their ends.
  const std::vector<uint32_t>& Ended() const { return ended_; }
  // Removes ended threads. REQUIRES: `serials` is an earlier result of Ended(), and none of it has
  // been removed by Forget.
  void Forget(const std::vector<uint32_t>& serials);

  // The serials of all threads that have not been removed.
  std::unordered_set<uint64_t> Known() const;

 private:
  // A description that a thread had until a moment.
  struct Former {
    Nanos until_ns;
    std::shared_ptr<const ThreadInfo> info;
  };

  // The former names of a thread; samples that are older than the oldest of them get that one.
  static constexpr size_t kMaxFormer = 16;

  void KeepFormer(const std::shared_ptr<const ThreadInfo>& info, Nanos until_ns);
  // Removes the `count` threads that ended first from ended_.
  void DropEnded(size_t count);

  const size_t max_ended_;
  std::unordered_map<uint32_t, std::shared_ptr<const ThreadInfo>> infos_;
  std::unordered_map<uint32_t, std::deque<Former>> former_;  // of renamed threads, oldest first
  std::vector<uint32_t> ended_;
};

}  // namespace jprof
