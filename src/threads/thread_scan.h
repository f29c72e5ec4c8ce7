// The scan: brings the registry's roster up to date with the kernel's list of threads. It is the
// source of truth: threads that no event announced, and ends that no event announced, are found
// here.
//
// It asks its questions under the lock, reads files without it (task_facts.h), and uses the answers
// under it again.
#pragma once

#include "base/result.h"
#include "sigsafe/base/priming_path.h"
#include "threads/guarded.h"
#include "threads/task_facts.h"
#include "threads/thread_roster.h"

namespace jprof {

// Whether a scan asks for each thread that is known if it still is the same one, which costs the
// reading of a file where that is in doubt.
enum class Identity { kTrusted, kChecked };

// New threads get a record, ended ones lose theirs. Where identities are checked, threads that have
// named themselves since are named, too; at start (kScan) names are read only if the filter asks
// for them. Thread-safe.
Status ScanThreads(Guarded<ThreadRoster>& threads, ThreadRecords& records, TaskFiles& files,
                   PrimingPath path, Identity identity);

}  // namespace jprof
