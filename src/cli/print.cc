#include "cli/print.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <string>

#include "base/printable_text.h"
#include "base/write_all.h"

namespace jprof {
namespace {

std::string Printable(std::string_view text) {
  std::string printable = PrintableText(text, Layout::kKeep);
  if (!printable.ends_with('\n')) printable += '\n';
  return printable;
}

}  // namespace

void Print(std::FILE* stream, std::string_view text) {
  const std::string printable = Printable(text);
  std::fwrite(printable.data(), 1, printable.size(), stream);
}

size_t TerminalWidth() {
  winsize size = {};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// Not by the stream, which forgets a failed write of more than its buffer.
Outcome<void> PrintResult(std::string_view text) {
  constexpr std::string_view kName = "standard output";
  if (std::fflush(stdout) != 0) {
    return Failure(FailureKind::kFile, Error::FromErrno("write", kName));
  }
  const Status written = WriteAll(STDOUT_FILENO, Printable(text), kName);
  return written ? Outcome<void>() : Failure(FailureKind::kFile, written.error());
}

void PrintNote(std::string_view note) { Print(stderr, "jprof: " + std::string(note)); }

void PrintNotes(const AgentAnswer& answer) {
  for (const std::string& note : answer.notes) PrintNote(note);
}

void PrintNotes(const ConvertReport& report) {
  if (!report.missing.empty()) PrintNote(report.missing);
  for (const std::string& note : report.notes) PrintNote("warning: " + note);
}

}  // namespace jprof
