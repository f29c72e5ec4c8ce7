// Executes the commands of all entry points: takes an option string and returns an answer.
//
// Thread-safe, outside signal handlers.
#pragma once

#include <jni.h>

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "options/options.h"
#include "recording/recording_control.h"

namespace jprof {

// Returns the recordings of this process; the object is leaked on purpose.
RecordingControl& TheRecordingControl();

// Executes any command, in any phase of the JVM. Before VMInit, the command `start` waits for
// VMInit, and the outcome of the start goes to the file of answer= or to the log; other commands
// that need the JVM are refused. Also refuses a command on a thread that works for the profiler
// already, for example a command in a callback of another agent: the command would wait forever for
// the work that has called the callback. `vm` is nullptr if the caller does not know the JVM.
// `is_awaited`: see RecordingControl::Start.
Result<AgentAnswer> Execute(JavaVM* vm, const Options& options,
                            const std::function<bool()>& is_awaited = {});

// Returns the code of profiler.h for an answer.
int CodeOf(const Result<AgentAnswer>& answer);

// Executes the command `text`. Returns a code of profiler.h and sets `answer` to the text for the
// user: one line, or several lines for the commands `status`, `methods`, `help` and `version`, and
// then one line for each note.
int ExecuteText(JavaVM* vm, std::string_view text, std::string* answer);

}  // namespace jprof
