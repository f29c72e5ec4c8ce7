// ParseMappedFiles: the mapped files of a process, from /proc/<pid>/maps.
//
// Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jprof {

struct MappedFile {
  std::string path;
  bool deleted = false;

  std::string_view Name() const { return std::string_view{path}.substr(path.rfind('/') + 1); }
};

// Each file once, in the order of addresses. Malformed lines are skipped.
std::vector<MappedFile> ParseMappedFiles(std::string_view maps);

// The kernel reports paths in our file system; `root` is our path of the process's root ("/" if the
// roots are the same or the root is not visible here). Paths below `root` become paths of the
// process.
void StripRoot(std::vector<MappedFile>* files, const std::string& root);

// The first file named `name`, or nullptr.
const MappedFile* FindMapped(const std::vector<MappedFile>& files, std::string_view name);

}  // namespace jprof
