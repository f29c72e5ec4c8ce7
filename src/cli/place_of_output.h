// PlaceOfOutput: where the JVM writes a recording so that it ends up where the user wants it.
//
// A JVM that sees the wanted folder and may write there writes the file itself. Otherwise (another
// user, a container, another format) it records into its own /tmp, from where Fetch takes it.
//
// jprof's one thread.
#pragma once

#include <optional>
#include <string>

#include "attach/failure.h"
#include "attach/target_folder.h"
#include "attach/target_process.h"

namespace jprof {

class PlaceOfOutput {
 public:
  // kFile if the result could not be written where it is wanted; nothing has happened then.
  // REQUIRES: `temp`, the target's /tmp, outlives the place.
  static Outcome<PlaceOfOutput> Choose(const TargetProcess& target, const TargetFolder& temp,
                                       const std::string& wanted);

  PlaceOfOutput(PlaceOfOutput&& other) noexcept;
  ~PlaceOfOutput();  // removes what lies in the target's /tmp

  // What the agent is told.
  const std::string& agent_path() const { return agent_path_; }

  // The absolute path of the result.
  const std::string& path() const { return wanted_; }

  bool Exists() const;

  // Whether the JVM of that pid (its own view of it) was killed while it recorded: the file beside
  // the recording, in which its open chunk grew, is still there.
  bool WasCutOff(pid_t pid) const;

  // Brings the recording to its place, in its format. kDied if the JVM has left none.
  Outcome<void> Fetch();

 private:
  PlaceOfOutput(const TargetFolder& temp, std::string wanted)
      : temp_(&temp), wanted_(std::move(wanted)) {}

  Outcome<void> CopyTo(int from) const;

  const TargetFolder* temp_;
  std::string wanted_;
  std::string agent_path_;
  std::optional<std::string> staged_;  // its name in temp_
};

// Absolute, with our working directory. kUsage for a folder.
Outcome<std::string> AbsoluteOutput(const std::string& path);

}  // namespace jprof
