// LoadedObjects returns a copy of the dynamic linker's list of the objects that are loaded now.
//
// An object can be unloaded at any time after the copy. So callers may read only the copy, not the
// object's memory. Thread-safe; not for signal handlers.
#pragma once

#include <link.h>

#include <cstdint>
#include <string>
#include <vector>

#include "loader_lock/object_copy.h"  // IWYU pragma: export

namespace jprof {

struct ObjectCopy {
  uint64_t load_bias;
  std::string path;  // empty for the executable
  std::vector<ElfW(Phdr)> headers;
  std::string build_id;  // bytes of the build id; empty: none
};

// Returns all objects in the order of loading, the executable first. Sets `counts`, if not null, to
// the numbers of objects loaded and unloaded at the time of the copy.
std::vector<ObjectCopy> LoadedObjects(LoadCounts* counts = nullptr);

}  // namespace jprof
