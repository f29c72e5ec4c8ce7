// OutputStaging: chooses the file to which the JVM records, and delivers this file to the path that
// the user wants.
//
// The JVM writes the result itself if the result is a .jfr file and the JVM can write to the
// result's folder. In all other cases (another user, a container, another format, a stream) the JVM
// records to a staged file in its own /tmp, and Fetch delivers the staged file.
//
// Used on jprof's only thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "attach/failure.h"
#include "attach/target_folder.h"
#include "attach/target_process.h"
#include "base/output_claim.h"
#include "base/output_place.h"
#include "base/scoped_fd.h"
#include "conversion/all_formats.h"
#include "profile/read_slices.h"

namespace jprof {

class OutputStaging {
 public:
  // Chooses the file to which the JVM records. Fails, without side effects, if the result certainly
  // cannot be written. If Fetch will deliver the result, claims the wanted path. If another process
  // writes to that path, claims a different path in the same folder instead. If the wanted path is
  // a FIFO, waits for its reader. REQUIRES: `temp`, the target's /tmp, outlives the object.
  static Outcome<OutputStaging> Choose(const TargetProcess& target, const TargetFolder& temp,
                                       const std::string& wanted);

  OutputStaging(OutputStaging&& other) noexcept;
  ~OutputStaging();  // removes the staged file

  // Returns the output path for the agent.
  const std::string& agent_path() const { return agent_path_; }

  // Returns the path to which the agent moves the recording if jprof never fetches the recording;
  // empty if the recording stays in its place.
  const std::string& fallback_path() const { return fallback_path_; }

  // Returns the absolute path of the result.
  const std::string& path() const { return wanted_; }

  // Returns the format of the result; nullopt if the result is the recording itself.
  const std::optional<OutputFormat>& format() const { return format_; }

  // Returns a line for people that says why path() differs from the wanted path; empty if it does
  // not differ.
  std::string Notice() const;

  // Sets path() to `path`, the path in the agent's answer, if the JVM writes the result itself. The
  // JVM chooses a path of its own if another process writes to the wanted path. Ignores `path` if
  // it is not the wanted path with the suffix of a claim; an empty `path`, for example, is ignored.
  void Follow(const std::string& path);

  bool IsStream() const { return stream_.valid(); }
  // True if the wanted path is standard output, under any name.
  bool IsStandardOutput() const;
  bool IsDirect() const { return !staged_; }  // the JVM writes the result itself
  bool Exists() const;

  // Removes the files that a killed JVM has left beside its recording: the side file of its open
  // chunk, and the lock file. Returns true if there was a side file, which means that the JVM was
  // killed while it was recording. `pid`: the JVM's pid in its own namespace. REQUIRES: the JVM has
  // exited.
  bool ClearAfterExit(pid_t pid) const;

  // Returns the number of samples in the recording, as CountSamples counts them; nullopt if the
  // recording cannot be read.
  std::optional<uint64_t> Samples() const;

  // Delivers the recording to path(), converted to format(). Fails with kExited if the JVM has left
  // no recording. If the result cannot be written, the recording stays in the staged file, and the
  // failure names this file.
  Outcome<void> Fetch();

  // Makes the destructor leave the staged file in place, for the agent. Returns the path of the
  // staged file in our namespace; empty if there is no staged file.
  std::string Release();

 private:
  OutputStaging(const TargetFolder& temp, std::string wanted)
      : temp_(&temp), wanted_(std::move(wanted)), format_(OutputFormatOf(wanted_)) {}

  Outcome<void> OpenStream(const OutputPlace& place);
  Outcome<void> CopyToWanted(const profile::RecordingInput& from) const;
  Outcome<void> CopyToFile(int from) const;
  Outcome<void> CopyTo(int from, int to) const;

  const TargetFolder* temp_;
  std::string wanted_;
  std::optional<OutputFormat> format_;  // format of wanted_; nullopt for the recording itself
  std::string agent_path_;
  std::string fallback_path_;
  std::string our_path_;               // path of the staged file in our namespace
  std::optional<std::string> staged_;  // name of the staged file in temp_
  std::optional<OutputClaim> claim_;   // claim of wanted_, if Fetch delivers the result
  ScopedFd stream_;                    // invalid if a file is wanted
};

}  // namespace jprof
