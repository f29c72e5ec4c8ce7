// Command execution: an option string in, an answer out. Common to all entry points.
//
// Thread-safe; outside handlers. Answers are text for the user: a line, or several for status,
// methods, help and version.
#pragma once

#include <jni.h>

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "options/options.h"
#include "recording/recording_control.h"

namespace jprof {

// The recordings of this process; leaked on purpose.
RecordingControl& TheRecordingControl();

// Executes any command, in any phase of the JVM. Before VMInit a start waits for it, and its own
// answer goes to the log; other commands that need the JVM are refused. Refuses a command on a
// thread that works for the profiler already: a callback of another agent gives it, and waiting
// would have no end. `vm`: nullptr if the caller does not know it. `is_awaited`: see
// RecordingControl::Start.
Result<AgentAnswer> Execute(JavaVM* vm, const Options& options,
                            const std::function<bool()>& is_awaited = {});

// Returns the code of profiler.h for an answer.
int CodeOf(const Result<AgentAnswer>& answer);

// Executes the command `text`. Returns a code of profiler.h, and its answer for the user.
int ExecuteText(JavaVM* vm, std::string_view text, std::string* answer);

}  // namespace jprof
