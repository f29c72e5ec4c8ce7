// ThreadNames: the names and ids of each thread of the process by the serial of its record.
//
// Asked by the recorder. Information on an ended thread stays until the recorder has taken the
// samples that the thread left, whether or not these can be written. Thread-safe; a file is read
// without the registry's lock.
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

  // Of the thread with `serial`, alive or recently ended. A record that a handler claimed by itself
  // has no entry before the next scan: then only the tid is known.
  std::shared_ptr<const ThreadInfo> Find(uint32_t serial, Tid tid);

  // Serials that ended before the call; forgotten by ForgetEnded(the same list).
  std::vector<uint32_t> Ended();
  void ForgetEnded(const std::vector<uint32_t>& serials);

  // Serials of the threads that live, and of those that have ended and are not forgotten.
  std::unordered_set<uint64_t> Known();
  // The Java threads among the known threads of `serials`.
  std::unordered_set<uint32_t> JavaThreadsAmong(const std::vector<uint32_t>& serials);

  // A Java thread may have another name by now. Ignored if `tid` is not that thread (any more).
  void UpdateJavaThread(Tid tid, JavaThreadInfo info);

  // Kernel names are read once more, at the next scan or Find.
  void ExpectNewNames();

 private:
  Guarded<ThreadRoster>& threads_;
  TaskFiles& files_;
};

}  // namespace jprof
