// TaskFacts has the start time and the name of a thread, which a scan reads from files of /proc.
//
// Reading a file takes about ten microseconds, and there can be thousands of threads. So a scan
// chooses the files under the registry's lock, reads them without the lock, and applies their
// content under the lock again. Not for handlers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "os/process_load.h"
#include "sigsafe/base/types.h"

namespace jprof {

// Reads the files of /proc. Thread-safe. Tests override the functions.
class TaskFiles {
 public:
  virtual ~TaskFiles() = default;
  // Returns the start time of the thread in clock ticks since the boot; 0 if the thread has ended.
  virtual uint64_t StartTicks(Tid tid);
  // Returns the kernel's name of the thread; empty if the thread has ended.
  virtual std::string Name(Tid tid);

  // Returns how long the thread has waited in the run queue; nullopt if the thread has ended or the
  // kernel does not report it.
  virtual std::optional<RunQueueCounts> RunQueue(Tid tid);

  static TaskFiles& OfThisProcess();
};

// A request for facts about one thread; Read() adds the facts.
struct TaskFacts {
  // The serial of the thread's slot at the time of the request; 0 if the thread had no slot. If the
  // thread's slot has another serial when the facts are applied, the facts are dropped, because the
  // thread might have ended, and another thread might have got its tid.
  uint32_t serial = 0;
  bool identity_doubted = false;  // true if the tid might now belong to another thread
  bool needs_start = false;
  bool needs_name = false;

  uint64_t start_ticks = 0;  // 0 if not requested, or if the thread has ended
  std::string name = {};     // empty if not requested, or if the thread has ended

  // Reads the requested files.
  void Read(TaskFiles& files, Tid tid);
};

using TaskFactsByTid = std::unordered_map<int32_t, TaskFacts>;

// Returns the length of a clock tick.
Nanos TickNanos();
// Returns the start time of a thread on CLOCK_BOOTTIME, from the kernel's number of clock ticks.
Nanos StartedAtNs(uint64_t start_ticks);

}  // namespace jprof
