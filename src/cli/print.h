// Print: text to the user, whatever is in it: the only way to standard output and standard error.
//
// jprof's one thread.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "base/agent_answer.h"

namespace jprof {

// The text and a line feed at its end. What could do anything to a terminal but print is escaped;
// line feeds and tabs stay, so what is not ours goes through PrintableText before it joins a table.
void Print(std::FILE* stream, std::string_view text);

// "jprof: note" on standard error.
void PrintNote(std::string_view note);

// The notes beside an answer of the agent.
void PrintNotes(const AgentAnswer& answer);

}  // namespace jprof
