// OutputStaging: the file to which the JVM records, and its delivery to the path that the user
// wants.
//
// A JVM that can write to the wanted folder writes the result itself. Otherwise (another user, a
// container, another format, a stream) the JVM records to a staged file in its own /tmp, and Fetch
// delivers that file.
//
// Called on jprof's only thread.
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
  // Chooses the file. Fails, without side effects, if it is known in advance that the result cannot
  // be written. Claims the path of a result that Fetch delivers, or a path beside it if another
  // process writes to it. Waits for the reader of a FIFO. REQUIRES: `temp`, the target's /tmp,
  // outlives the object.
  static Outcome<OutputStaging> Choose(const TargetProcess& target, const TargetFolder& temp,
                                       const std::string& wanted);

  OutputStaging(OutputStaging&& other) noexcept;
  ~OutputStaging();  // removes the staged file

  // Returns the output path for the agent.
  const std::string& agent_path() const { return agent_path_; }

  // Returns the path to which the agent moves a recording that is never fetched; empty: it stays.
  const std::string& fallback_path() const { return fallback_path_; }

  // Returns the absolute path of the result.
  const std::string& path() const { return wanted_; }

  // Returns the format of the result; nullopt: the result is the recording itself.
  const std::optional<OutputFormat>& format() const { return format_; }

  // Returns the reason why path() is not the wanted path; empty if it is.
  std::string Notice() const;

  // Sets path() to `path`, which the JVM has chosen for a result that it writes itself, because
  // another process writes to the wanted path. Ignores a `path` that is not beside the wanted one,
  // such as an empty one. `path`: from the agent's answer.
  void Follow(const std::string& path);

  bool IsStream() const { return stream_.valid(); }
  // True if the stream is standard output, under any name.
  bool IsStandardOutput() const;
  bool IsDirect() const { return !staged_; }  // the JVM writes the result itself
  bool Exists() const;

  // Removes the files that a killed JVM has left beside its recording: the file of the open chunk
  // and the lock file. Returns true if there was an open chunk: the JVM was killed while recording.
  // `pid`: the JVM's pid in its own namespace. REQUIRES: the JVM has exited.
  bool ClearAfterExit(pid_t pid) const;

  // Returns the number of samples in the recording, as CountSamples counts them; nullopt: the
  // recording cannot be read.
  std::optional<uint64_t> Samples() const;

  // Brings the recording to path(), in its format. Fails with kExited if the JVM has left no
  // recording. If the result cannot be written, the recording stays in the file to which the JVM
  // has written it, and the failure names that file.
  Outcome<void> Fetch();

  // Leaves the staged file to the agent. Returns its path in our namespace; empty: there is no
  // staged file.
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
  std::optional<OutputFormat> format_;  // format of wanted_; nullopt: the recording itself
  std::string agent_path_;
  std::string fallback_path_;
  std::string our_path_;               // agent_path_ in our namespace
  std::optional<std::string> staged_;  // name of the staged file in temp_
  std::optional<OutputClaim> claim_;   // claim of wanted_, if Fetch delivers it
  ScopedFd stream_;                    // invalid: a file is wanted
};

}  // namespace jprof
