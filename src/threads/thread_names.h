// ThreadNames: the names and ids of each thread of the process, by the serial of its record.
//
// Used by the recorder. The ThreadInfo of an ended thread stays until the recorder has taken the
// thread's last samples, whether or not they can be written. Thread-safe; files are read without
// the registry's lock.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "threads/guarded.h"
#include "threads/task_facts.h"
#include "threads/thread_info.h"
#include "threads/thread_roster.h"

namespace jprof {

class ThreadNames {
 public:
  // Both outlive the object.
  ThreadNames(Guarded<ThreadRoster>& threads, TaskFiles& files)
      : threads_(threads), files_(files) {}

  // The ThreadInfo of a thread that lives or has ended recently; never nullptr. If a handler has
  // claimed the record, the registry learns of it at the next scan: until then only the tid is
  // known.
  std::shared_ptr<const ThreadInfo> Find(uint32_t serial, Tid tid);

  // The serials of ended threads. `serials` of ForgetEnded: an earlier result of Ended.
  std::vector<uint32_t> Ended();
  void ForgetEnded(const std::vector<uint32_t>& serials);

  // The serials of live threads, and of ended threads before ForgetEnded.
  std::unordered_set<uint64_t> Known();
  // The serials of Java threads among `serials`.
  std::unordered_set<uint32_t> JavaThreadsAmong(const std::vector<uint32_t>& serials);

  // Sets the current name and group of a Java thread. Ignored if the thread with this tid is
  // another thread (its java.lang.Thread id differs).
  void UpdateJavaThread(Tid tid, JavaThreadInfo info);

  // Makes the next scan, or the next Find of a thread, read the kernel's name of the thread again.
  void ExpectNewNames();

 private:
  Guarded<ThreadRoster>& threads_;
  TaskFiles& files_;
};

}  // namespace jprof
