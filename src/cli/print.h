// Print: the only way to standard output and standard error, safe for any text.
//
// jprof's one thread.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "answers/agent_answer.h"
#include "attach/failure.h"
#include "formats/convert.h"

namespace jprof {

// Prints the text and a final line feed. Control characters are escaped, except line feeds and
// tabs: text from outside must pass PrintableText before it is put into a table.
void Print(std::FILE* stream, std::string_view text);

// On standard output, all of it. Fails with kFile, as on a full disk.
Outcome<void> PrintResult(std::string_view text);

// "jprof: note" on standard error.
void PrintNote(std::string_view note);

// The columns of the terminal that standard output is; 0 if it is none, whose lines have any
// length.
size_t TerminalWidth();

// The notes of an answer of the agent.
void PrintNotes(const AgentAnswer& answer);

// The unreadable part of a recording, and the warnings of its conversion.
void PrintNotes(const ConvertReport& report);

}  // namespace jprof
