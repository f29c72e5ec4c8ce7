// Print: the only way to standard output and standard error, safe for any text.
//
// jprof's one thread.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "answers/agent_answer.h"
#include "attach/failure.h"
#include "formats/convert.h"

namespace jprof {

// Progress: a progress line on a terminal, updated in place; no output elsewhere.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();  // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Of `total`; `rest` follows the bar.
  void Show(int64_t done, int64_t total, const std::string& rest);

 private:
  const std::string what_;
  const bool on_terminal_;
  bool is_shown_ = false;
};

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
