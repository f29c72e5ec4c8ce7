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

std::string PrintNotes(const std::string& answer) {
  size_t end = answer.find('\n');
  const std::string first = answer.substr(0, end);
  while (end != std::string::npos && end + 1 < answer.size()) {
    const size_t next = answer.find('\n', end + 1);
    PrintNote(std::string_view(answer).substr(end + 1, next - end - 1));
    end = next;
  }
  return first;
}

}  // namespace jprof
