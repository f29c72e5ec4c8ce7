// Accountant: adds a whole recording up and says everything that a reader could stumble over,
// beyond what one chunk shows by itself (jfr_file.h).
#pragma once

#include <string>
#include <vector>

namespace jprof::test {

// One line for each fault; empty: the recording is sound.
//   layout     event sizes sum to the chunk, the checkpoint ends at its size, no pool is empty,
//              no key twice in a pool, no event has unused bytes
//   references every key of an event or a constant is in its chunk's pool
//   states     elapsed time is never STATE_DEFAULT, which some readers take for CPU time
//   file       a key keeps its value, starts increase, one frequency, each type is enabled once
std::vector<std::string> AuditRecording(const std::string& bytes);

}  // namespace jprof::test
