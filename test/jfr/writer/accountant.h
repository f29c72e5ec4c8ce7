// Accountant: audits a whole recording and reports everything that can make a reader fail. The
// parser (jfr_file.h) finds the faults within a single chunk; the accountant also finds all others.
#pragma once

#include <string>
#include <vector>

namespace jprof::test {

// Returns one line for each fault; empty if the recording is sound. Checks:
//   layout     event sizes sum to the chunk, the checkpoint ends at its size, no pool is empty,
//              no key twice in a pool, no event has unused bytes
//   references every key of an event or a constant is in its chunk's pool
//   names      a class name that starts with '[' is that of an array
//   states     elapsed time is never STATE_DEFAULT, which some readers take for CPU time
//   file       a key keeps its value, starts increase, one frequency, each type is enabled once
std::vector<std::string> AuditRecording(const std::string& bytes);

}  // namespace jprof::test
