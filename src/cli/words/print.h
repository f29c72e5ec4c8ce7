// Print and PrintResult write any text safely to standard output and standard error. jprof has no
// other way to write text to them. Progress is a progress line on a terminal.
//
// Used on jprof's only thread.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "answers/agent_answer.h"
#include "attach/failure.h"
#include "formats/convert.h"

namespace jprof {

// Progress: a progress line that is updated in place. It is shown only if standard error is a
// terminal.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();  // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shows `done` of `total` as a bar, followed by `rest`. Shows nothing if `total` is not positive.
  void Show(int64_t done, int64_t total, const std::string& rest);

 private:
  const std::string what_;
  const bool on_terminal_;
  bool is_shown_ = false;
};

// Prints the text and, if it lacks one, a final line feed. Escapes control characters except line
// feeds and tabs. A text from outside can contain line feeds and tabs, so it must pass
// PrintableText before it is put into a table.
void Print(std::FILE* stream, std::string_view text);

// Prints the text to standard output as Print does. Fails with kFile if not all of it was written,
// for example on a full disk.
Outcome<void> PrintResult(std::string_view text);

// Prints "jprof: note" to standard error.
void PrintNote(std::string_view note);

// Returns the number of columns of the terminal on standard output. Returns 0 if standard output is
// not a terminal; lines can then have any length.
size_t TerminalWidth();

// Prints the notes of an agent's answer to standard error.
void PrintNotes(const AgentAnswer& answer);

// Prints to standard error which part of a recording could not be read, and the warnings of the
// conversion.
void PrintNotes(const ConvertReport& report);

}  // namespace jprof
