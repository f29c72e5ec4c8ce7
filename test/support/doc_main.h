// The main function of programs that generate a page of docs/: `NAME write|check FILE` writes the
// page, or fails if the file differs from it.
#pragma once

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

namespace jprof::test {

// `name` is the name of the program. The build target that writes the page is update_NAME.
inline int DocMain(int argc, char** argv, const char* name, const std::string& page) {
  const bool write = argc == 3 && std::strcmp(argv[1], "write") == 0;
  const bool check = argc == 3 && std::strcmp(argv[1], "check") == 0;
  if (!write && !check) {
    std::fprintf(stderr, "usage: %s write|check FILE\n", name);
    return 2;
  }
  if (write) {
    std::ofstream file(argv[2], std::ios::binary);
    file << page << std::flush;
    if (!file) std::fprintf(stderr, "%s: cannot be written\n", argv[2]);
    return file ? 0 : 1;
  }
  std::ifstream file(argv[2], std::ios::binary);
  if (std::string(std::istreambuf_iterator<char>(file), {}) == page) return 0;
  std::fprintf(stderr, "%s is not current: build the target update_%s\n", argv[2], name);
  return 1;
}

}  // namespace jprof::test
