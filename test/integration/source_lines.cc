#include "integration/source_lines.h"

#include <fstream>

#include "support/jvm/test_paths.h"

namespace jprof::test {

std::pair<int, int> LinesOf(const std::string& file, const std::string& declaration) {
  std::ifstream source(JavaSources() + "/workloads/" + file);
  std::string line;
  int first = 0;
  for (int number = 1; std::getline(source, line); ++number) {
    if (first == 0 && line.find(declaration) != std::string::npos) first = number;
    if (first != 0 && line == "  }") return {first, number};
  }
  return {0, 0};
}

}  // namespace jprof::test
