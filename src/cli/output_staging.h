// OutputStaging: where the JVM writes a recording so that it ends up where the user wants it.
//
// A JVM that sees the wanted folder and may write there writes the file itself. Otherwise (another
// user, a container, another format, a stream) it records into its own /tmp, from where Fetch takes
// it.
//
// jprof's one thread.
#pragma once

#include <optional>
#include <string>

#include "attach/failure.h"
#include "attach/target_folder.h"
#include "attach/target_process.h"
#include "base/output_place.h"
#include "base/scoped_fd.h"

namespace jprof {

class OutputStaging {
 public:
  // Whatever would keep the result from being written, as far as it can be known now, is a failure;
  // nothing has happened then. A FIFO is waited for until somebody reads it.
  // REQUIRES: `temp`, the target's /tmp, outlives the place.
  static Outcome<OutputStaging> Choose(const TargetProcess& target, const TargetFolder& temp,
                                       const std::string& wanted);

  OutputStaging(OutputStaging&& other) noexcept;
  ~OutputStaging();  // removes what lies in the target's /tmp

  // What the agent is told.
  const std::string& agent_path() const { return agent_path_; }

  // Where the agent keeps the recording if we do not come to fetch it; empty: where it is.
  const std::string& fallback_path() const { return fallback_path_; }

  // The absolute path of the result.
  const std::string& path() const { return wanted_; }

  bool IsStream() const { return stream_.valid(); }
  bool IsDirect() const { return !staged_; }  // the JVM writes the result itself
  bool Exists() const;

  // Whether the JVM of that pid (its own view of it) was killed while it recorded: the file beside
  // the recording, in which its open chunk grew, is still there.
  bool WasCutOff(pid_t pid) const;

  // Brings the recording to its place, in its format. kExited if the JVM has left none. If it
  // cannot be written there, it stays where the JVM has put it, and the failure names that.
  Outcome<void> Fetch();

  // What lies in the target's /tmp is the agent's from now on.
  void Release() { staged_.reset(); }

 private:
  OutputStaging(const TargetFolder& temp, std::string wanted)
      : temp_(&temp), wanted_(std::move(wanted)) {}

  Outcome<void> OpenStream(const OutputPlace& place);
  Outcome<void> CopyToWanted(int from) const;
  Outcome<void> CopyToFile(int from) const;
  Outcome<void> CopyTo(int from, int to) const;

  const TargetFolder* temp_;
  std::string wanted_;
  std::string agent_path_;
  std::string fallback_path_;
  std::string our_path_;               // agent_path_ as we see it
  std::optional<std::string> staged_;  // its name in temp_
  ScopedFd stream_;                    // invalid: a file is wanted
};

// Absolute, with our working directory. kUsage for a folder.
Outcome<std::string> AbsoluteOutput(const std::string& path);

}  // namespace jprof
