// ThreadInfo is the description of a thread in a recording, copied while the thread was alive.
// ThreadInfos finds the ThreadInfo of each thread by serial. The ThreadInfo of an ended thread
// stays until Forget.
//
// ThreadInfos holds the live threads and at most kMaxEnded ended ones. An ended thread is usually
// forgotten within a second, unless the recorder's thread is blocked, for example by a file system
// that hangs.
//
// ThreadInfos is a part of ThreadRoster and is guarded by the registry's lock. A ThreadInfo is a
// plain value, and immutable: a caller of Find may read it without the lock.
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

// The part of a ThreadInfo that comes from the JVM. All strings are UTF-8.
struct JavaThreadInfo {
  std::string name;
  int64_t id = 0;                       // java.lang.Thread.threadId(); 0 if not a Java thread
  std::vector<std::string> group_path;  // names of thread groups, the root first; can be empty

  bool operator==(const JavaThreadInfo&) const = default;
};

struct ThreadInfo {
  uint32_t serial = 0;  // ThreadSlot::serial: unique, while a tid can be reused
  Tid tid{0};
  std::string os_name;  // the kernel's name of the thread, at most 15 bytes
  JavaThreadInfo java;
};

class ThreadInfos {
 public:
  // The largest number of ended threads that are kept. When it is exceeded, the threads that ended
  // first are removed.
  static constexpr size_t kMaxEnded = 1 << 18;

  explicit ThreadInfos(size_t max_ended = kMaxEnded) : max_ended_(max_ended) {}

  void Add(uint32_t serial, Tid tid);

  // Returns the newest ThreadInfo of the thread; nullptr if the serial is unknown or has been
  // removed by Forget.
  std::shared_ptr<const ThreadInfo> Find(uint32_t serial) const;
  // Returns the ThreadInfo with the name that the thread had at `time_ns` according to the readings
  // of its name; nullptr if the serial is unknown or has been removed by Forget.
  std::shared_ptr<const ThreadInfo> Find(uint32_t serial, Nanos time_ns) const;
  // Returns the time from which on the thread has its newest name; 0 if it has always had that
  // name, or if the serial is unknown.
  Nanos NamedSince(uint32_t serial) const;

  // Returns the newest ThreadInfo. REQUIRES, in this function and in those up to End: the serial is
  // known.
  const ThreadInfo& At(uint32_t serial) const { return *infos_.at(serial); }
  // SetOsName sets the kernel's name of a thread. SetJava sets its Java name, id and groups.
  // `last_read_ns` is the time at which the previous name was last read. If the name has changed,
  // the new name counts from that time on, and the previous name is kept for earlier samples. For a
  // Java thread, only previous Java names are kept; for any other thread, previous kernel names.
  void SetOsName(uint32_t serial, std::string name, Nanos last_read_ns);
  void SetJava(uint32_t serial, JavaThreadInfo java, Nanos last_read_ns);
  // Adds the thread to the ended threads.
  void End(uint32_t serial);

  // Returns the serials of ended threads, in the order of their ends.
  const std::vector<uint32_t>& Ended() const { return ended_; }
  // Removes ended threads. REQUIRES: `serials` is an earlier result of Ended(), and Forget has
  // removed none of them.
  void Forget(const std::vector<uint32_t>& serials);

  // Returns the serials of all threads that have not been removed.
  std::unordered_set<uint64_t> Known() const;

 private:
  // A description that a thread had until `until_ns`.
  struct Former {
    Nanos until_ns;
    std::shared_ptr<const ThreadInfo> info;
  };

  // The largest number of former names that are kept for one thread. A sample that is older than
  // the oldest kept name gets the oldest kept name.
  static constexpr size_t kMaxFormer = 16;

  void KeepFormer(const std::shared_ptr<const ThreadInfo>& info, Nanos until_ns);
  // Removes the `count` threads that ended first.
  void DropEnded(size_t count);

  const size_t max_ended_;
  std::unordered_map<uint32_t, std::shared_ptr<const ThreadInfo>> infos_;
  std::unordered_map<uint32_t, std::deque<Former>> former_;  // renamed threads only; oldest first
  std::vector<uint32_t> ended_;
};

}  // namespace jprof
