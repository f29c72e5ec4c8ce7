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

// Executes any command, in any phase of the JVM. Before VMInit, the command `start` only schedules
// the start for VMInit; its outcome then goes to the file of answer= or to the log. Other commands
// that need the JVM are refused before VMInit. A command is also refused on a thread that already
// works for the profiler: for example, the profiler's work can raise an event whose callback in
// another agent gives a command. That command would wait forever for the work. `vm` is nullptr if
// the caller does not know the JVM. `is_awaited`: see RecordingControl::Start.
Result<AgentAnswer> Execute(JavaVM* vm, const Options& options,
                            const std::function<bool()>& is_awaited = {});

// Returns the code of profiler.h for an answer.
int CodeOf(const Result<AgentAnswer>& answer);

// Executes the command `text`. Returns a code of profiler.h and sets `answer` to the text for the
// user: one line, or several lines for the commands `status`, `methods`, `help` and `version`, and
// then one line for each note.
int ExecuteText(JavaVM* vm, std::string_view text, std::string* answer);

}  // namespace jprof
