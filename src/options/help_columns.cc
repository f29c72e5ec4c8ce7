#include "options/help_columns.h"

#include <algorithm>

namespace jprof {

std::string WrapHelp(std::string_view text, size_t column, size_t used) {
  std::string wrapped;
  size_t at = used;
  bool is_first = true;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!is_first && at + 1 + word.size() > kHelpWidth) {
      wrapped += "\n" + std::string(column, ' ');
      at = column;
    } else if (!is_first) {
      wrapped += ' ';
      ++at;
    }
    wrapped += word;
    at += word.size();
    is_first = false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return wrapped;
}

std::string HelpColumns(std::string_view left, std::string_view right, size_t indent,
                        size_t column) {
  std::string line = std::string(indent, ' ') + std::string(left);
  if (line.size() + 2 > column) {
    line += "\n" + std::string(column, ' ');
  } else {
    line.resize(column, ' ');
  }
  return line + WrapHelp(right, column, column) + "\n";
}

}  // namespace jprof
