#include "attach/mapped_files.h"

#include <algorithm>
#include <unordered_set>

namespace jprof {
namespace {

constexpr std::string_view kDeleted = " (deleted)";

// Returns the path in the line "start-end perms offset dev inode      path" (proc_pid_maps(5)): it
// starts at the first '/', because no field before it contains one. The kernel writes '\n' in a
// path as \012.
std::string_view PathOf(std::string_view line) {
  const size_t slash = line.find('/');
  return slash == std::string_view::npos ? std::string_view() : line.substr(slash);
}

}  // namespace

std::vector<MappedFile> ParseMappedFiles(std::string_view maps) {
  std::vector<MappedFile> files;
  std::unordered_set<std::string_view> known;  // views of `maps`, which can have 65,000 lines
  while (!maps.empty()) {
    const size_t end = maps.find('\n');
    std::string_view path = PathOf(maps.substr(0, end));
    maps.remove_prefix(end == std::string_view::npos ? maps.size() : end + 1);
    if (path.empty()) continue;
    const bool deleted = path.ends_with(kDeleted);
    if (deleted) path.remove_suffix(kDeleted.size());
    if (known.insert(path).second) files.push_back({std::string(path), deleted});
  }
  return files;
}

void StripRoot(std::vector<MappedFile>* files, const std::string& root) {
  if (root == "/") return;
  for (MappedFile& file : *files) {
    if (file.path.starts_with(root + "/")) file.path.erase(0, root.size());
  }
}

const MappedFile* FindMapped(const std::vector<MappedFile>& files, std::string_view name) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [name](const MappedFile& file) { return file.Name() == name; });
  return found == files.end() ? nullptr : &*found;
}

}  // namespace jprof
