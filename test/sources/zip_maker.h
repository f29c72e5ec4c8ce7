// Makes ZIP archives for tests, sound or not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace jprof::test {

struct ZipMember {
  std::string name;
  std::string content;
  bool deflate = true;
  uint16_t flags = 0;
};

std::string MakeZip(const std::vector<ZipMember>& members);

}  // namespace jprof::test
