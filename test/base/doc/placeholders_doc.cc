// placeholders_doc write|check FILE: writes docs/formats/placeholders.md, or fails if it is not
// what would be written.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "base/placeholders.h"

namespace {

std::string Markdown() {
  std::string text =
      "# Names in brackets\n"
      "\n"
      "Where a frame, or the name of a thread, cannot be told, a placeholder stands there and "
      "keeps\n"
      "the weight, so that totals are right. In JFR files the class of such a frame is `jprof`, or "
      "the\n"
      "library that it is in. A flame graph explains each where the mouse is on it.\n"
      "\n"
      "| placeholder | what it stands for |\n"
      "|---|---|\n";
  for (const jprof::PlaceholderRow& row : jprof::kPlaceholders) {
    text += "| `" + std::string(row.text) + "` | " + std::string(row.explanation) + " |\n";
  }
  return text;
}

bool Write(const char* path) {
  std::ofstream file(path, std::ios::binary);
  file << Markdown() << std::flush;
  if (!file) std::fprintf(stderr, "%s: cannot be written\n", path);
  return file.good();
}

bool Check(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string found(std::istreambuf_iterator<char>(file), {});
  if (found == Markdown()) return true;
  std::fprintf(stderr, "%s is not current: build the target update_placeholders_doc\n", path);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "write") == 0) return Write(argv[2]) ? 0 : 1;
  if (argc == 3 && std::strcmp(argv[1], "check") == 0) return Check(argv[2]) ? 0 : 1;
  std::fputs("usage: placeholders_doc write|check FILE\n", stderr);
  return 2;
}
