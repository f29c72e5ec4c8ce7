// AgentLibrary: the libprofiler.so for the target to load, named by a path in the target's file
// system.
//
// In order of preference it is the given library if it is loaded already; any other loaded copy,
// since two loaded copies would not know of each other; our file if the target sees the same file;
// else a copy in a folder of the target, owned by its user. The destructor removes that copy: a
// loaded library stays mapped.
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
  // kGiven: the user has named the library, so no other loaded copy is used instead.
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
