// AgctDeath: the call of AsyncGetCallTrace that has killed a JVM, as the agent has noted it
// (sigsafe/validation/agct_calls.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "attach/failure.h"

namespace jprof {

struct AgctDeath {
  std::string thread;  // thread id and name
  // The texts of the fields of profiler.StackDifference.
  std::string layer;
  std::string walker;
  std::string tier;
  uint64_t pc = 0;    // the interrupted instruction; 0 at the entry of a method
  std::string cause;  // the code that was interrupted
  std::string place;  // the instruction
  std::string stack;  // the innermost Java frames, a frame a line
};

// Returns the call that the note names; nullopt if no call was being made.
std::optional<AgctDeath> ParseAgctNote(std::string_view note);

// Returns a sentence such as "AsyncGetCallTrace killed process 4711, in thread 4712 main, at ...".
std::string TextOf(const AgctDeath& death, int process);

// Adds the call to the recording in the file `path`, as a wrong stack with the verdict "killed the
// JVM". REQUIRES: no process writes to the file, and it ends after a chunk.
Outcome<void> AddToRecording(const AgctDeath& death, const std::string& path);

}  // namespace jprof
