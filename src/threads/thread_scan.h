// ScanThreads updates the registry's roster from the kernel's list of threads. A scan finds the
// starts and ends of threads that no event has announced.
//
// The scan chooses the files to read with the registry's lock held, reads them without the lock
// (task_facts.h), and applies their content with the lock held again.
#pragma once

#include "base/result.h"
#include "sigsafe/base/priming_path.h"
#include "threads/guarded.h"
#include "threads/task_facts.h"
#include "threads/thread_roster.h"

namespace jprof {

// With kChecked, the scan verifies that the tid of each known thread has not been reused. For this
// it reads a file for each thread that does not announce its end.
enum class Identity { kTrusted, kChecked };

// Enters new threads and ends those that the kernel does not list. With kChecked, the scan also
// reads the kernel's names of known threads. In the scan at the start of the sampler (path kScan)
// names are read only if the filter selects threads by name. Returns an Error if the list cannot be
// read. Thread-safe; not for handlers.
Status ScanThreads(Guarded<ThreadRoster>& threads, ThreadSlots& slots, TaskFiles& files,
                   PrimingPath path, Identity identity);

}  // namespace jprof
