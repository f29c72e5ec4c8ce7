#include "cli/words/print.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "base/printable_text.h"
#include "base/scoped_fd.h"

namespace jprof {
namespace {

std::string Printable(std::string_view text) {
  std::string printable = PrintableText(text, Layout::kKeep);
  if (!printable.ends_with('\n')) printable += '\n';
  return printable;
}

}  // namespace

Progress::Progress(std::string what)
    : what_(std::move(what)), on_terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (is_shown_) std::fputs("\r\033[K", stderr);
}

void Progress::Show(int64_t done, int64_t total, const std::string& rest) {
  if (!on_terminal_ || total <= 0) return;
  constexpr double kWidth = 24;
  const double part = std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0);
  std::string bar(static_cast<size_t>(part * kWidth), '#');
  bar.resize(static_cast<size_t>(kWidth), '.');
  is_shown_ = true;
  std::fprintf(stderr, "\r\033[K%s [%s] %s", what_.c_str(), bar.c_str(), rest.c_str());
}

void Print(std::FILE* stream, std::string_view text) {
  const std::string printable = Printable(text);
  std::fwrite(printable.data(), 1, printable.size(), stream);
}

size_t TerminalWidth() {
  winsize size = {};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// Bypasses the stream stdout, which does not report every failed write.
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
