// cli_doc write|check FILE: writes docs/cli.md, or fails if it is not what would be
// written.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "cli/manual.h"

namespace {

bool Write(const char* path) {
  std::ofstream file(path, std::ios::binary);
  file << jprof::CliMarkdown() << std::flush;
  if (!file) std::fprintf(stderr, "%s: cannot be written\n", path);
  return file.good();
}

bool Check(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string found(std::istreambuf_iterator<char>(file), {});
  if (found == jprof::CliMarkdown()) return true;
  std::fprintf(stderr, "%s is not current: build the target update_cli_doc\n", path);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "write") == 0) return Write(argv[2]) ? 0 : 1;
  if (argc == 3 && std::strcmp(argv[1], "check") == 0) return Check(argv[2]) ? 0 : 1;
  std::fputs("usage: cli_doc write|check FILE\n", stderr);
  return 2;
}
