#include "sources/source_finder.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/printable_text.h"
#include "sources/jdk_release.h"
#include "sources/source_archive.h"
#include "sources/source_folder.h"
#include "sources/source_name.h"

namespace jprof {
namespace {

std::string Quoted(std::string_view text) {
  return "'" + PrintableText(text, Layout::kEscape) + "'";
}

bool IsArchive(std::string_view path) { return path.ends_with(".jar") || path.ends_with(".zip"); }

// "app.jar" -> "app-sources.jar", as Maven and Gradle name it.
std::string SourcesBeside(const std::string& jar) {
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
    Result<std::unique_ptr<SourcePlace>> beside = OpenSourceArchive(SourcesBeside(path));
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
