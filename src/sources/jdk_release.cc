#include "sources/jdk_release.h"

#include <unistd.h>

#include "base/regular_file.h"
#include "base/release_file.h"

namespace jprof {
namespace {

// A release file is smaller; one that is not is none.
constexpr size_t kMaxRelease = 16 * 1024;

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace

std::string JdkVersionOf(const std::string& archive) {
  if (!archive.ends_with("src.zip")) return {};
  const std::string folder = FolderOf(archive);
  for (const std::string& home : {folder, folder + "/.."}) {  // since JDK 9 it is in lib
    const Result<ScopedFd> file = OpenRegularFile(home + "/release", LastLink::kFollow);
    if (!file) continue;
    std::string text(kMaxRelease, '\0');
    const ssize_t got = read(file.value().get(), text.data(), text.size());
    if (got <= 0) continue;
    text.resize(static_cast<size_t>(got));
    std::string version = JavaVersionIn(text);
    if (!version.empty()) return version;
  }
  return {};
}

}  // namespace jprof
