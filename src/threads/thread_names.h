// ThreadNames: the names and ids of each thread of the process, by the serial of its slot.
//
// Used by the recorder. The ThreadInfo of an ended thread stays until the recorder has taken the
// thread's last samples, whether or not they can be written. Thread-safe; files are read without
// the registry's lock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "threads/guarded.h"
#include "threads/task_facts.h"
#include "threads/thread_infos.h"
#include "threads/thread_roster.h"

namespace jprof {

class ThreadNames {
 public:
  // Both outlive the object.
  ThreadNames(Guarded<ThreadRoster>& threads, TaskFiles& files)
      : threads_(threads), files_(files) {}

  // The ThreadInfo of a thread that lives or has ended recently; never nullptr. If a handler has
  // claimed the slot, the registry learns of it at the next scan: until then only the tid is
  // known.
  std::shared_ptr<const ThreadInfo> Find(uint32_t serial, Tid tid);

  // The same for the time of a sample: a renamed thread had another name before.
  std::shared_ptr<const ThreadInfo> FindAt(uint32_t serial, Tid tid, Nanos time_ns);
  // The moment from which on Find's result holds; 0: at all times.
  Nanos NamedSince(uint32_t serial);

  // The serials of ended threads. `serials` of ForgetEnded: an earlier result of Ended.
  std::vector<uint32_t> Ended();
  void ForgetEnded(const std::vector<uint32_t>& serials);

  // The serials of live threads, and of ended threads before ForgetEnded.
  std::unordered_set<uint64_t> Known();
  // The serials of Java threads among `serials`.
  std::unordered_set<uint32_t> JavaThreadsAmong(const std::vector<uint32_t>& serials);

  // Sets the names that the Java threads with these java.lang.Thread ids had at `now_ns`.
  void SetJavaNames(const std::unordered_map<int64_t, std::string>& names, Nanos now_ns);

  // Makes the next scan, or the next Find of a thread, read the kernel's name of the thread again:
  // of every thread, or of those that are not known to be Java threads. The Java name tells when a
  // Java thread is renamed.
  enum class Renamed : uint8_t { kAny, kNative };
  void ExpectNewNames(Renamed renamed);

 private:
  Guarded<ThreadRoster>& threads_;
  TaskFiles& files_;
};

}  // namespace jprof
