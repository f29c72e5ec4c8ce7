// AnswerText: the text that people see of an answer: jprof's user, and where no jprof is, the log of
// the JVM, jcmd and callers of the library.
//
// Thread-safe: no state.
#pragma once

#include <string>

#include "answers/agent_answer.h"

namespace jprof {

// The answer to a start that has to wait for the JVM.
inline constexpr char kStartsLater[] = "the recording starts when the JVM is initialised";

// Returns one line; of status, methods, help and version several.
std::string AnswerText(const AgentAnswer& answer);

// Returns the text, then each note on a line of its own.
std::string TextWithNotes(const AgentAnswer& answer);

// Returns the sentence of kDumped, kStopped and kEnded without the file: "stopped: 1234 samples (1000
// cpu, 234 wall), 5 lost (5 sample buffers full)".
std::string OutcomeText(const AgentAnswer& answer);

// Logs the text with the notes as Info, an error as ErrorLine.
void LogAnswer(const Result<AgentAnswer>& answer);

}  // namespace jprof
