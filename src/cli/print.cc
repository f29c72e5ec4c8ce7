#include "cli/print.h"

#include <string>

#include "base/printable_text.h"

namespace jprof {

void Print(std::FILE* stream, std::string_view text) {
  std::string printable = PrintableText(text, Layout::kKeep);
  if (!printable.ends_with('\n')) printable += '\n';
  std::fwrite(printable.data(), 1, printable.size(), stream);
}

}  // namespace jprof
