// View: the command `view`, which prints a table of a recording file, of a JVM's running recording,
// or of a new recording of a JVM.
//
// Used on jprof's only thread.
#pragma once

#include <string>

#include "attach/failure.h"
#include "cli/words/command_line.h"

namespace jprof {

// Returns the text to print.
Outcome<std::string> View(const CommandLine& line);

struct Viewed {
  std::string text;     // the table
  std::string finding;  // ConvertReport::finding
};

// Does the same for a SOURCE that is a file, and also returns what the table says as a whole.
Outcome<Viewed> ViewFile(const CommandLine& line);

// Returns a free path in the temporary folder. The recording gets no folder of its own, because if
// this process is killed, the JVM removes only the recording.
std::string TemporaryRecording();

}  // namespace jprof
