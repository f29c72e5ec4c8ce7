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

// Returns each mapped file once, in the order of addresses. Skips malformed lines.
std::vector<MappedFile> ParseMappedFiles(std::string_view maps);

// Turns paths below `root` into paths of the process: the kernel reports paths in our file system.
// `root`: our path of the process's root; "/" if the roots are the same or the root is not visible
// here.
void StripRoot(std::vector<MappedFile>* files, const std::string& root);

// Returns the first file named `name`, or nullptr.
const MappedFile* FindMapped(const std::vector<MappedFile>& files, std::string_view name);

}  // namespace jprof
