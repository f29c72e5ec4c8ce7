// ParseMappedFiles: the files that a process has mapped, from /proc/<pid>/maps.
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

// Each file once, in the order of addresses. Lines that are not understood are skipped.
std::vector<MappedFile> ParseMappedFiles(std::string_view maps);

// The kernel names files as we would; `root` is where the process's root is for us ("/" if it is
// ours, or if it is none of our folders): below it, paths become those of the process.
void StripRoot(std::vector<MappedFile>* files, const std::string& root);

// The first whose name is `name`, or nullptr.
const MappedFile* FindMapped(const std::vector<MappedFile>& files, std::string_view name);

}  // namespace jprof
