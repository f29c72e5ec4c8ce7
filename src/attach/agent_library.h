// AgentLibrary: the libprofiler.so for the target to load, by a path in the target's file system.
//
// In order of preference: the library if it is loaded already; any other loaded copy (two loaded
// copies would not know of each other); our file if the target sees the same file; else a copy in a
// folder of the target, owned by its user. The destructor removes that copy: a loaded library stays
// mapped.
//
// jprof's one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "attach/failure.h"
#include "attach/target_folder.h"
#include "attach/target_process.h"

namespace jprof {

// ../lib/libprofiler.so beside the running program.
std::string DefaultAgentLibrary();

class AgentLibrary {
 public:
  // `library`: a path in our file system, or a loaded library's path in the target's. kGiven: named
  // by the user, so that no other loaded copy is used instead.
  enum class Choice { kDefault, kGiven };
  static Outcome<AgentLibrary> For(const TargetProcess& target, const std::string& library,
                                   Choice choice);

  AgentLibrary(AgentLibrary&& other) noexcept;
  ~AgentLibrary();

  // As the target names it.
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
