#include "base/release_file.h"

namespace jprof {

std::string JavaVersionIn(std::string_view release) {
  constexpr std::string_view kKey = "JAVA_VERSION=\"";
  const size_t key = release.find(kKey);
  if (key == std::string_view::npos) return {};
  release.remove_prefix(key + kKey.size());
  return std::string(release.substr(0, release.find('"')));
}

}  // namespace jprof
