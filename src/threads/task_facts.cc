#include "threads/task_facts.h"

#include <unistd.h>

#include "os/task_list.h"

namespace jprof {

uint64_t TaskFiles::StartTicks(Tid tid) { return TaskStartTicks(tid); }

std::string TaskFiles::Name(Tid tid) { return TaskName(tid); }

std::optional<RunQueueCounts> TaskFiles::RunQueue(Tid tid) { return TaskRunQueue(tid); }

TaskFiles& TaskFiles::OfThisProcess() {
  static auto& files = *new TaskFiles;
  return files;
}

void TaskFacts::Read(TaskFiles& files, Tid tid) {
  if (needs_start) start_ticks = files.StartTicks(tid);
  if (needs_name) name = files.Name(tid);
}

Nanos TickNanos() {
  static const Nanos tick_ns = kNanosPerSecond / sysconf(_SC_CLK_TCK);
  return tick_ns;
}

Nanos StartedAtNs(uint64_t start_ticks) { return static_cast<Nanos>(start_ticks) * TickNanos(); }

}  // namespace jprof
