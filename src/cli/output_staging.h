// OutputStaging: the file that the JVM records to, and its delivery to the path that the user
// wants.
//
// A JVM that can write to the wanted folder writes the result itself. Otherwise (another user, a
// container, another format, a stream) the JVM records to a staged file in its own /tmp, and Fetch
// delivers that file.
//
// jprof's one thread.
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
  // Fails, without side effects, if the result cannot be written, as far as this is known in
  // advance. Claims the path of a result that Fetch delivers; if another process writes to it, one
  // beside it. Waits for the reader of a FIFO. REQUIRES: `temp`, the target's /tmp, outlives the
  // object.
  static Outcome<OutputStaging> Choose(const TargetProcess& target, const TargetFolder& temp,
                                       const std::string& wanted);

  OutputStaging(OutputStaging&& other) noexcept;
  ~OutputStaging();  // removes the staged file

  // The output path for the agent.
  const std::string& agent_path() const { return agent_path_; }

  // The path to which the agent moves a recording that is never fetched; empty: not moved.
  const std::string& fallback_path() const { return fallback_path_; }

  // The absolute path of the result.
  const std::string& path() const { return wanted_; }

  // The format of the result; nullopt: the result is the recording itself.
  const std::optional<OutputFormat>& format() const { return format_; }

  // Says why the path is not the wanted one; empty if it is.
  std::string Notice() const;

  // Takes over the path that the JVM has chosen for a result that it writes itself: another one if
  // another process writes to the wanted path. `path`: of its answer; empty: it does not tell.
  void Follow(const std::string& path);

  bool IsStream() const { return stream_.valid(); }
  // Whether the stream is standard output, by whatever name.
  bool IsStandardOutput() const;
  bool IsDirect() const { return !staged_; }  // the JVM writes the result itself
  bool Exists() const;

  // Removes the files that a killed JVM has left beside its recording: the file of the open chunk
  // and the lock file. Returns true if there was an open chunk: the JVM was killed while recording.
  // `pid`: of the JVM, in its own namespace. REQUIRES: the JVM has exited.
  bool ClearAfterExit(pid_t pid) const;

  // How many samples are in the fetched recording; nullopt: it cannot be read.
  std::optional<uint64_t> Samples() const;

  // Brings the recording to its place, in its format. kExited if the JVM has left none. If it
  // cannot be written there, it stays where the JVM has put it, and the failure names that.
  Outcome<void> Fetch();

  // Leaves the staged file to the agent. Returns its path as we see it; empty: there is none.
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
  std::optional<OutputFormat> format_;  // of wanted_; nullopt: the recording itself
  std::string agent_path_;
  std::string fallback_path_;
  std::string our_path_;               // agent_path_ as we see it
  std::optional<std::string> staged_;  // name of the staged file in temp_
  std::optional<OutputClaim> claim_;   // of wanted_, if Fetch delivers it
  ScopedFd stream_;                    // invalid: a file is wanted
};

}  // namespace jprof
