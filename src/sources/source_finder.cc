#include "sources/source_finder.h"

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
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/jdk_facts.h"
#include "base/printable_text.h"
#include "base/result.h"
#include "base/scoped_fd.h"
#include "sources/source_name.h"
#include "sources/zip_file.h"

namespace jprof {
namespace {

// The names that Maven and Gradle give to the folders above the packages: src/main/java,
// src/test/kotlin.
constexpr auto kLanguages =
    std::to_array<std::string_view>({"java", "kotlin", "scala", "groovy", "clojure"});
// The names of folders that are skipped: they contain either no sources, or very many files.
constexpr auto kSkipped =
    std::to_array<std::string_view>({"node_modules", "target", "build", "out"});
constexpr int kMaxDepth = 6;
constexpr size_t kMaxFolders = 20'000;
constexpr size_t kMaxRoots = 1000;

template <size_t kCount>
bool IsOneOf(const std::array<std::string_view, kCount>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Opens `path` relative to `folder`. Fails if `path` leads out of `folder`. Follows no links if the
// kernel has no openat2 (before Linux 5.6).
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
  // Adds `src`, `src/main/java` and the like below `folder` to roots_. `folder`: empty, or with a
  // slash at its end.
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
  const std::string path_;  // path of the folder for messages and places
  // Relative paths of folders that contain packages, empty or ending in a slash.
  std::vector<std::string> roots_;
  size_t folders_read_ = 0;
};

// Opens a folder that contains packages, a Maven or Gradle project, or several modules.
Result<std::unique_ptr<SourcePlace>> OpenSourceFolder(const std::string& path) {
  ScopedFd fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return Error::FromErrno("open", path);
  char* const absolute = realpath(path.c_str(), nullptr);
  std::string name = absolute == nullptr ? path : absolute;
  std::free(absolute);
  return std::unique_ptr<SourcePlace>(new SourceFolder(std::move(fd), std::move(name)));
}

// The maximum number of bytes that are read of the file `release` of a JDK. Real files are smaller.
constexpr size_t kMaxRelease = 16 * 1024;

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

// Returns the version of the JDK, such as "25.0.3", from the JDK's file `release`, if `archive` is
// the src.zip of a JDK; otherwise an empty text.
std::string JdkVersionOf(const std::string& archive) {
  if (!archive.ends_with("src.zip")) return {};
  const std::string folder = FolderOf(archive);
  for (const std::string& home : {folder, folder + "/.."}) {  // src.zip is in lib since JDK 9
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

// The sources in a .jar or .zip. They are either in packages, or in modules that contain packages,
// as in the JDK's src.zip.
class SourceArchive : public SourcePlace {
 public:
  explicit SourceArchive(ZipFile zip) : zip_(std::move(zip)) {
    // An entry in a module is found by its path below the module. If an entry outside modules has
    // that path, the entry outside modules is used. Among entries of the same sort, the first one
    // is used.
    const auto& entries = zip_.entries();
    for (size_t i = 0; i < entries.size(); ++i) by_path_.emplace(entries[i].name, i);
    for (size_t i = 0; i < entries.size(); ++i) {
      const size_t slash = entries[i].name.find('/');
      if (slash != std::string::npos) by_path_.emplace(entries[i].name.substr(slash + 1), i);
    }
  }

  Result<SourceText> Read(const std::string& path) override {
    const auto found = by_path_.find(path);
    if (found == by_path_.end()) return Error("not in " + zip_.path());
    const ZipEntry& entry = zip_.entries()[found->second];
    Result<std::string> text = zip_.Read(entry, kMaxSourceBytes);
    if (!text) return text.error();
    return SourceText{std::move(text).value(), zip_.path() + "!/" + entry.name, false};
  }

 private:
  ZipFile zip_;
  std::unordered_map<std::string, size_t> by_path_;  // path -> index of the entry
};

// Opens the archive at `path`. Fails if it contains no sources.
Result<std::unique_ptr<SourcePlace>> OpenSourceArchive(const std::string& path) {
  Result<ZipFile> zip = ZipFile::Open(path, IsSourceName);
  if (!zip) return zip.error();
  if (zip.value().entries().empty()) {
    return Error("there are no sources in " + path + ": name the -sources.jar");
  }
  return std::unique_ptr<SourcePlace>(new SourceArchive(std::move(zip).value()));
}

std::string Quoted(std::string_view text) {
  return "'" + PrintableText(text, Layout::kEscape) + "'";
}

bool IsArchive(std::string_view path) { return path.ends_with(".jar") || path.ends_with(".zip"); }

// Converts "app.jar" to "app-sources.jar", the name that Maven and Gradle give to the archive with
// the sources of app.jar.
std::string SourcesJarFor(const std::string& jar) {
  const size_t dot = jar.rfind('.');
  return jar.substr(0, dot) + "-sources" + jar.substr(dot);
}

}  // namespace

Result<SourceFinder> SourceFinder::Of(const std::vector<std::string>& places) {
  SourceFinder finder;
  for (const std::string& place : places) {
    const Status added = finder.Add(place);
    if (!added) return added.error();
  }
  return finder;
}

Status SourceFinder::Add(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return Error::FromErrno("open", Quoted(path));
  if (S_ISDIR(info.st_mode)) {
    Result<std::unique_ptr<SourcePlace>> folder = OpenSourceFolder(path);
    if (!folder) return folder.error();
    places_.push_back(std::move(folder).value());
    return {};
  }
  if (!IsArchive(path)) {
    return Error(Quoted(path) + " is not a place of sources: name a folder, a .jar or a .zip");
  }
  Result<std::unique_ptr<SourcePlace>> archive = OpenSourceArchive(path);
  if (!archive && path.ends_with(".jar")) {
    Result<std::unique_ptr<SourcePlace>> beside = OpenSourceArchive(SourcesJarFor(path));
    if (beside) archive = std::move(beside);
  }
  if (!archive) return archive.error();
  places_.push_back(std::move(archive).value());
  archives_.push_back(path);
  return {};
}

bool SourceFinder::AddJdk(const std::string& java_home) {
  for (const char* const name : {"/lib/src.zip", "/src.zip"}) {
    Result<std::unique_ptr<SourcePlace>> archive = OpenSourceArchive(java_home + name);
    if (!archive) continue;
    places_.push_back(std::move(archive).value());
    archives_.push_back(java_home + name);
    return true;
  }
  return false;
}

std::vector<std::string> SourceFinder::JdksOtherThan(std::string_view version) const {
  std::vector<std::string> others;
  for (const std::string& archive : archives_) {
    const std::string of_archive = JdkVersionOf(archive);
    if (of_archive.empty() || of_archive == version) continue;
    others.push_back(Quoted(archive) + ", of JDK " + PrintableText(of_archive, Layout::kEscape));
  }
  return others;
}

Result<SourceText> SourceFinder::Find(std::string_view class_name, std::string_view file_name) {
  const std::vector<std::string> paths = SourcePathsOf(class_name, file_name);
  for (const auto& place : places_) {
    for (const std::string& path : paths) {
      Result<SourceText> found = place->Read(path);
      if (found) return found;
    }
  }
  if (paths.empty()) return Error(Quoted(class_name) + " is not the name of a class with a source");
  return Error("no source of " + Quoted(class_name) + ": looked for " + Quoted(paths.front()) +
               " in " + std::to_string(places_.size()) +
               (places_.size() == 1 ? " place" : " places"));
}

}  // namespace jprof
