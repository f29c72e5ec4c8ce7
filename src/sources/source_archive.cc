#include "sources/source_archive.h"

#include <unordered_map>
#include <utility>

#include "sources/source_name.h"
#include "sources/zip_file.h"

namespace jprof {
namespace {

class SourceArchive : public SourcePlace {
 public:
  explicit SourceArchive(ZipFile zip) : zip_(std::move(zip)) {
    // The first of several equal names wins, and a package before a module.
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
  std::unordered_map<std::string, size_t> by_path_;  // -> index of the entry
};

}  // namespace

Result<std::unique_ptr<SourcePlace>> OpenSourceArchive(const std::string& path) {
  Result<ZipFile> zip = ZipFile::Open(path, IsSourceName);
  if (!zip) return zip.error();
  if (zip.value().entries().empty()) {
    return Error("there are no sources in " + path + ": name the -sources.jar");
  }
  return std::unique_ptr<SourcePlace>(new SourceArchive(std::move(zip).value()));
}

}  // namespace jprof
