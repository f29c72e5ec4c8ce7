// AgentLibrary: the libprofiler.so that the target is to load, by its path in the target's file
// system.
//
// In order of preference, the library is: the given file, if the target has loaded it; another copy
// that the target has loaded, because two loaded copies would not know of each other; the given
// file, if the target sees the same file at this path; or a new copy in a folder of the target,
// owned by the target's user. The destructor removes the new copy. A copy that the target has
// loaded stays mapped there.
//
// Used on jprof's only thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "attach/failure.h"
#include "attach/target_folder.h"
#include "attach/target_process.h"

namespace jprof {

// Returns the path of ../lib/libprofiler.so, relative to the folder of the running program.
std::string DefaultAgentLibrary();

class AgentLibrary {
 public:
  // kGiven means that the user has named the library. Then only this library is used, and not
  // another copy that the target has loaded.
  enum class Choice { kDefault, kGiven };
  // Finds or copies the library. `library`: a path in our file system, or the path of a loaded
  // library in the target's file system.
  static Outcome<AgentLibrary> For(const TargetProcess& target, const std::string& library,
                                   Choice choice);

  AgentLibrary(AgentLibrary&& other) noexcept;
  ~AgentLibrary();

  // Returns the path of the library in the target's file system.
  const std::string& path() const { return path_; }

 private:
  struct Copy {
    TargetFolder folder;
    std::string name;
  };

  explicit AgentLibrary(std::string path) : path_(std::move(path)) {}

  static Outcome<AgentLibrary> CopyInto(const TargetProcess& target, const std::string& library);

  std::string path_;
  std::optional<Copy> copy_;
};

}  // namespace jprof
