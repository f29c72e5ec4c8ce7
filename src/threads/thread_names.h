// ThreadNames finds the names and ids of each thread of the process by the serial of its slot.
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
  // Both arguments must outlive the object.
  ThreadNames(Guarded<ThreadRoster>& threads, TaskFiles& files)
      : threads_(threads), files_(files) {}

  // Returns the newest ThreadInfo of a thread that lives or has ended recently; never nullptr. If a
  // signal handler has claimed the slot, the result has only the tid and the serial until the next
  // scan enters the thread in the registry.
  std::shared_ptr<const ThreadInfo> Find(uint32_t serial, Tid tid);

  // Returns the ThreadInfo that the thread had at `time_ns`, the time of a sample. It differs from
  // the result of Find if the thread was renamed later.
  std::shared_ptr<const ThreadInfo> FindAt(uint32_t serial, Tid tid, Nanos time_ns);
  // Returns the time from which on the thread has had the name that Find returns; 0 if the thread
  // has always had that name.
  Nanos NamedSince(uint32_t serial);

  // Ended returns the serials of ended threads. ForgetEnded removes the threads in `serials`.
  // REQUIRES: `serials` is an earlier result of Ended.
  std::vector<uint32_t> Ended();
  void ForgetEnded(const std::vector<uint32_t>& serials);

  // Returns the serials of live threads, and of ended threads before ForgetEnded.
  std::unordered_set<uint64_t> Known();
  // Returns the serials of the Java threads among `serials`.
  std::unordered_set<uint32_t> JavaThreadsAmong(const std::vector<uint32_t>& serials);

  // Sets the names that the Java threads with these java.lang.Thread ids had at `now_ns`.
  void SetJavaNames(const std::unordered_map<int64_t, std::string>& names, Nanos now_ns);

  // The threads that might have been renamed: all threads, or only those that are not known to be
  // Java threads. kNative suffices if the Java names are read as well, because a renamed Java
  // thread also shows a new Java name.
  enum class Renamed : uint8_t { kAny, kNative };
  // Makes the next scan, or the next Find of a thread, read the kernel's name of the thread again.
  void ExpectNewNames(Renamed renamed);

 private:
  Guarded<ThreadRoster>& threads_;
  TaskFiles& files_;
};

}  // namespace jprof
