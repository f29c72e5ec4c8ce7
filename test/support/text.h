// FileContent: the text of a file. CountOf: how often a text contains another one.
#pragma once

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>

namespace jprof::test {

// Returns the content of the file at `path`; "" if it cannot be read.
inline std::string FileContent(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Returns the number of places in `text` at which `part` starts. REQUIRES: `part` is not empty.
inline size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace jprof::test
