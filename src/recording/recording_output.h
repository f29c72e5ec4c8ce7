// RecordingOutput: the file that the user has named, and the recording from which it is converted.
//
// If the name ends with .html, .collapsed or .txt, the user wants this format: the agent records to
// a hidden file in the same folder, and converts the recording at every dump and at the stop. With
// any other accepted name, the file is the recording itself.
//
// Used by Recording; one thread at a time.
#pragma once

#include <cstdint>
#include <string>

#include "base/output_claim.h"
#include "base/result.h"
#include "formats/format_row.h"
#include "options/options.h"

namespace jprof {

class RecordingOutput {
 public:
  // Checks that `path` can be written, and that its format is known and can be limited to `part`.
  // Called at the start of a recording, so that no data is lost if the check fails. Claims the path
  // until the object is destroyed; if another process writes to the path, claims another path in
  // the same folder. REQUIRES: `path` is absolute.
  static Result<RecordingOutput> Choose(const std::string& path, const OutputPart& part);

  const std::string& path() const { return path_; }
  const OutputClaim& claim() const { return claim_; }
  // Releases the claim of a complete output. Called if the process is about to end without running
  // destructors.
  void ReleaseClaim() { claim_.Release(); }
  const std::string& recording() const { return recording_; }
  bool IsConverted() const { return format_ != nullptr; }

  // Converts the recording in the file `recording` to the output. `recording` differs from
  // recording() if the recorder has gone on in another file, because other software has changed the
  // first one. Has no effect if the output is the recording itself. Returns a line "note: ..."
  // about the choice of events; empty if there was no choice.
  Result<std::string> Update(const std::string& recording) const;

  // Returns the error for an incomplete output. It contains `reason` and, if the output is
  // converted, the name of the file with the recording, `recording`.
  Error Incomplete(const Error& reason, const std::string& recording) const;

  // Calls Update for the last time, and then removes the hidden recording. If Update fails, the
  // hidden recording stays, and the error names it.
  Result<std::string> Complete(const std::string& recording) const;

  // Called for a recording whose caller has died. Moves the file `result` to `wanted`, and converts
  // it if `wanted` has another format. If another process writes to `wanted`, uses another path in
  // that folder. Returns the path of the file, which is `result` on failure.
  static std::string Keep(const std::string& result, const std::string& wanted);

 private:
  RecordingOutput(OutputClaim claim, const FormatRow* format, OutputPart part);

  OutputClaim claim_;
  const FormatRow* format_;  // format of the output; nullptr if the output is the recording
  std::string path_;
  std::string recording_;
  OutputPart part_;
};

// Returns the value of %n for the first file of a series. It is higher than the numbers of all
// existing files of this pattern, so that these are kept. Returns 1 if the name of the file has no
// %n.
uint32_t FirstNumberOfSeries(const std::string& pattern);

// Returns the absolute path of file=. A relative pattern is relative to the working folder.
// `number` replaces %n.
Result<std::string> AbsoluteOutputPath(const std::string& pattern, uint32_t number);

}  // namespace jprof
