// TaskFacts: the facts about a thread that a scan reads from files of the kernel. Reading a file
// takes some ten microseconds, and there may be thousands of threads: so the registry's lock is
// held while the questions are written down and while the answers are used, but not while files are
// read.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "sigsafe/base/types.h"

namespace jprof {

// Reads the files. Called on several threads at once; a test may put another in its place.
class TaskFiles {
 public:
  virtual ~TaskFiles() = default;
  virtual uint64_t StartTicks(Tid tid);  // 0: it is gone
  virtual std::string Name(Tid tid);     // empty: it is gone
  static TaskFiles& OfThisProcess();
};

// Questions and answers.
struct TaskFacts {
  // Of the record that the thread had when it was asked for; 0: it had none. An answer is for that
  // record alone: meanwhile the thread may have ended, and its tid be another's.
  uint32_t serial = 0;
  bool doubted = false;  // whether it still is that record's thread
  bool needs_start = false;
  bool needs_name = false;

  uint64_t start_ticks = 0;  // 0: not asked for, or gone
  std::string name = {};     // empty: likewise

  void Read(TaskFiles& files, Tid tid);
};

using TaskFactsByTid = std::unordered_map<int32_t, TaskFacts>;

// When a thread started, on CLOCK_BOOTTIME; the kernel tells it in ticks of its clock.
Nanos StartedAtNs(uint64_t start_ticks);
Nanos TickNanos();

}  // namespace jprof
