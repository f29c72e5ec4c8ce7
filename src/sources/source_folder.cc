#include "sources/source_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/scoped_fd.h"

namespace jprof {
namespace {

// The names that Maven and Gradle give to the folders above the packages: src/main/java,
// src/test/kotlin.
constexpr auto kLanguages =
    std::to_array<std::string_view>({"java", "kotlin", "scala", "groovy", "clojure"});
// Folders that contain no sources, or very many files.
constexpr auto kSkipped =
    std::to_array<std::string_view>({"node_modules", "target", "build", "out"});
constexpr int kMaxDepth = 6;
constexpr size_t kMaxFolders = 20'000;
constexpr size_t kMaxRoots = 1000;

template <size_t kCount>
bool IsOneOf(const std::array<std::string_view, kCount>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Opens `path` beneath `folder`. Follows no links if openat2 is missing (before Linux 5.6).
ScopedFd OpenBeneath(int folder, const std::string& path) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  open_how how = {};
  how.flags = kFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  ScopedFd opened(static_cast<int>(syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how)));
  if (opened.valid() || (errno != ENOSYS && errno != EPERM)) return opened;
  ScopedFd at(fcntl(folder, F_DUPFD_CLOEXEC, 0));
  for (size_t begin = 0; at.valid();) {
    const size_t slash = std::min(path.find('/', begin), path.size());
    const std::string name = path.substr(begin, slash - begin);
    const bool is_last = slash == path.size();
    at = ScopedFd(
        openat(at.get(), name.c_str(),
               is_last ? kFlags | O_NOFOLLOW : O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (is_last) break;
    begin = slash + 1;
  }
  return at;
}

// Reads a regular file. Fails if the file is longer than kMaxSourceBytes.
Result<std::string> ReadText(int fd, const std::string& place) {
  struct stat info;
  if (fstat(fd, &info) != 0) return Error::FromErrno("fstat", place);
  if (!S_ISREG(info.st_mode)) return Error(place + " is not a regular file");
  std::string text;
  char buffer[64 * 1024];
  for (;;) {
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error::FromErrno("read", place);
    if (got == 0) return text;
    text.append(buffer, static_cast<size_t>(got));
    if (text.size() > kMaxSourceBytes) return Error(place + " is too large for a source");
  }
}

class SourceFolder : public SourcePlace {
 public:
  SourceFolder(ScopedFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {
    roots_.emplace_back();
    AddRoots("", 0);
  }

  Result<SourceText> Read(const std::string& path) override {
    for (const std::string& root : roots_) {
      const ScopedFd file = OpenBeneath(fd_.get(), root + path);
      if (!file.valid()) continue;
      std::string place = path_;
      place.append("/").append(root).append(path);
      Result<std::string> text = ReadText(file.get(), place);
      if (text) return SourceText{std::move(text).value(), std::move(place), true};
    }
    return Error("not in " + path_);
  }

 private:
  // Adds `src`, `src/main/java` and the like below `folder`, which is empty or ends in a slash.
  void AddRoots(const std::string& folder, int depth) {
    const bool is_in_src = folder.ends_with("src/");
    for (const std::string& name : FoldersIn(folder)) {
      if (roots_.size() >= kMaxRoots) return;
      const std::string inner = folder + name + '/';
      if (name == "src") roots_.push_back(inner);
      if (is_in_src) {
        for (const std::string_view language : kLanguages) {
          AddIfThere(inner + std::string(language));
        }
      } else if (depth < kMaxDepth && !IsOneOf(kSkipped, name)) {
        AddRoots(inner, depth + 1);
      }
    }
  }

  void AddIfThere(const std::string& folder) {
    struct stat info;
    if (fstatat(fd_.get(), folder.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISDIR(info.st_mode)) {
      roots_.push_back(folder + '/');
    }
  }

  // Returns the sorted names of the folders in `folder`, without links and hidden folders.
  std::vector<std::string> FoldersIn(const std::string& folder) {
    std::vector<std::string> names;
    if (++folders_read_ > kMaxFolders) return names;
    const int fd = openat(fd_.get(), folder.empty() ? "." : folder.c_str(),
                          O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR* const entries = fd < 0 ? nullptr : fdopendir(fd);
    if (entries == nullptr) {
      if (fd >= 0) close(fd);
      return names;
    }
    while (const dirent* entry = readdir(entries)) {
      if (entry->d_type == DT_DIR && entry->d_name[0] != '.') names.emplace_back(entry->d_name);
    }
    closedir(entries);
    std::ranges::sort(names);
    return names;
  }

  const ScopedFd fd_;
  const std::string path_;          // path of the folder for messages and places
  std::vector<std::string> roots_;  // relative paths of packages, empty or ending in a slash
  size_t folders_read_ = 0;
};

}  // namespace

Result<std::unique_ptr<SourcePlace>> OpenSourceFolder(const std::string& path) {
  ScopedFd fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return Error::FromErrno("open", path);
  char* const absolute = realpath(path.c_str(), nullptr);
  std::string name = absolute == nullptr ? path : absolute;
  std::free(absolute);
  return std::unique_ptr<SourcePlace>(new SourceFolder(std::move(fd), std::move(name)));
}

}  // namespace jprof
