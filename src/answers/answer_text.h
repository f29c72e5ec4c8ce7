// AnswerText: the text of an answer, for people. jprof shows the text to its user. If a command was
// not given by jprof, the text goes to the log of the JVM, to jcmd or to the caller of the library.
//
// Thread-safe: no state.
#pragma once

#include <ctime>
#include <string>

#include "answers/agent_answer.h"
#include "sigsafe/base/types.h"

namespace jprof {

// The answer to a start that has to wait for the JVM.
inline constexpr char kStartsLater[] = "the recording starts when the JVM is initialised";

// Returns the text of an answer: several lines for the commands `status`, `methods`, `help` and
// `version`, one line for other commands.
std::string AnswerText(const AgentAnswer& answer);

// Returns AnswerText, then each note on a line of its own.
std::string TextWithNotes(const AgentAnswer& answer);

// Returns the text of kDumped, kStopped or kEnded, without the name of the file: "stopped: 1234
// samples (1000 cpu, 234 wall), 5 lost (5 sample buffers full)".
std::string OutcomeText(const AgentAnswer& answer);

// Returns the text of kStatus: a line per key, with aligned values. If no recording is running,
// there are only the state, the note and the version of the agent.
std::string StatusText(const AgentAnswer& answer);

// Returns "2026-02-03 04:05:06 (12.3 s ago)", in local time.
std::string SinceText(time_t start, Nanos ago_ns);

// Logs TextWithNotes at level Info; logs an error as an ErrorLine.
void LogAnswer(const Result<AgentAnswer>& answer);

}  // namespace jprof
