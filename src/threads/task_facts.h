// TaskFacts: the start time and the name of a thread, which a scan reads from files of /proc.
//
// Reading a file takes about ten microseconds, and there can be thousands of threads. So a scan
// chooses the files under the registry's lock, reads them without the lock, and applies their
// content under the lock again. Not for handlers.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "sigsafe/base/types.h"

namespace jprof {

// Reads the files of /proc. Thread-safe. Tests override the functions.
class TaskFiles {
 public:
  virtual ~TaskFiles() = default;
  virtual uint64_t StartTicks(Tid tid);  // 0: the thread has ended
  virtual std::string Name(Tid tid);     // empty: the thread has ended
  static TaskFiles& OfThisProcess();
};

// The request for facts about one thread, and the facts.
struct TaskFacts {
  // The serial of the thread's slot at the time of the request; 0: the thread had no slot. If
  // the slot has another serial when the facts are applied, they are dropped: the thread may have
  // ended, and another thread may have its tid.
  uint32_t serial = 0;
  bool identity_doubted = false;  // the tid might now belong to another thread
  bool needs_start = false;
  bool needs_name = false;

  uint64_t start_ticks = 0;  // 0: not requested, or the thread has ended
  std::string name = {};     // empty: not requested, or the thread has ended

  // Reads the requested files.
  void Read(TaskFiles& files, Tid tid);
};

using TaskFactsByTid = std::unordered_map<int32_t, TaskFacts>;

// Returns the start time of a thread on CLOCK_BOOTTIME, from the kernel's number of clock ticks.
Nanos StartedAtNs(uint64_t start_ticks);
// Returns the length of a clock tick.
Nanos TickNanos();

}  // namespace jprof
