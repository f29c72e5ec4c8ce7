// View: the command `view`, which prints a table of a recording file, of a JVM's running recording,
// or of a new recording of a JVM.
//
// Used on jprof's only thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attach/failure.h"
#include "cli/words/command_line.h"

namespace jprof {

// Returns the text to print.
Outcome<std::string> View(const CommandLine& line);

struct Viewed {
  std::string text;     // the table
  std::string finding;  // ConvertReport::finding
};

// Does the same for recordings in files, which are read as one, and also returns what the table says
// as a whole. `line` has the name of the view as its only argument.
enum class ViewedRows : uint8_t { kAll, kErrors };  // TableOptions::has_only_errors
Outcome<Viewed> ViewFiles(const CommandLine& line, const std::vector<std::string>& paths,
                          ViewedRows rows = ViewedRows::kAll);

// Returns a free path in the temporary folder. The recording gets no folder of its own, because if
// this process is killed, the JVM removes only the recording.
std::string TemporaryRecording();

}  // namespace jprof
