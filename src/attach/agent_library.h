// AgentLibrary: the libprofiler.so that the target is asked to load: where it is, under a path that
// the target understands.
//
// In the order of preference: the library if it is loaded already, any other copy of it that is
// (two would not know of each other), our file if the target sees the same one, else a copy of it
// in a folder of the target's, owned by its user, which is removed again when the object goes: what
// is loaded stays.
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
  // `library`: the file as we see it, or as the target names one that is loaded. kGiven: the user
  // has named it, so no other one that is loaded is taken instead.
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
