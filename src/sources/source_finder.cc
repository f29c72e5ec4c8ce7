#include "sources/source_finder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/printable_text.h"
#include "base/release_file.h"
#include "base/result.h"
#include "base/scoped_fd.h"
#include "sources/source_folder.h"
#include "sources/source_name.h"
#include "sources/zip_file.h"

namespace jprof {
namespace {

// The most bytes of a release file that are read; the JDK's own are smaller.
constexpr size_t kMaxRelease = 16 * 1024;

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

// Returns the version of the JDK whose src.zip `archive` is, such as "25.0.3", from the JDK's file
// `release`; empty if the archive does not belong to a JDK.
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

// The sources in a .jar or .zip: in packages, or in modules with packages as in the JDK's src.zip.
class SourceArchive : public SourcePlace {
 public:
  explicit SourceArchive(ZipFile zip) : zip_(std::move(zip)) {
    // The first of several equal paths wins; a path without a module wins over one in a module.
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

// Converts "app.jar" to "app-sources.jar", the name that Maven and Gradle give to its sources.
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
