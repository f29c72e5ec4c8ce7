#include "cli/print.h"

#include <string>

#include "base/printable_text.h"

namespace jprof {

void Print(std::FILE* stream, std::string_view text) {
  std::string printable = PrintableText(text, Layout::kKeep);
  if (!printable.ends_with('\n')) printable += '\n';
  std::fwrite(printable.data(), 1, printable.size(), stream);
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
