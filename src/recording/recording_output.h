// RecordingOutput: the file named by the user, and the recording that it is converted from.
//
// A name that ends with .html, .collapsed or .txt requests that format: the agent records to a
// hidden file in the same folder, and converts the recording at every dump and at the stop. Any
// other accepted name is that of the recording itself.
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
  // Checks that `path`, which is absolute, can be written, and has a known format that can be
  // limited to `part`. Called at the start, before data could be lost. Claims the path until the
  // object is destroyed; if another process writes to the path, claims another path in the same
  // folder.
  static Result<RecordingOutput> Choose(const std::string& path, const OutputPart& part);

  const std::string& path() const { return path_; }
  const OutputClaim& claim() const { return claim_; }
  // Releases the claim of a complete output. Called if the process is about to end without running
  // destructors.
  void ReleaseClaim() { claim_.Release(); }
  const std::string& recording() const { return recording_; }
  bool IsConverted() const { return format_ != nullptr; }

  // Converts the recording in the file `recording` to the output. `recording` differs from
  // recording() if other software has changed the file recording(), because the recorder has then
  // gone on in another file. Has no effect if the output is the recording itself. Returns a line
  // about the choice of events, "note: ...", or an empty text.
  Result<std::string> Update(const std::string& recording) const;

  // Returns an error that gives the reason why the output is incomplete and, if the output is
  // converted, names the file `recording`, which has the recording.
  Error Incomplete(const Error& reason, const std::string& recording) const;

  // Does the last Update, and then removes the hidden recording. If Update fails, the hidden
  // recording stays, and the error names it.
  Result<std::string> Complete(const std::string& recording) const;

  // Called for a recording whose caller has died: moves the file from `result` to `wanted`, and
  // converts it if `wanted` has another format. If another process writes to `wanted`, uses another
  // path in the same folder. Returns the path of the file, which is `result` on failure.
  static std::string Keep(const std::string& result, const std::string& wanted);

 private:
  RecordingOutput(OutputClaim claim, const FormatRow* format, OutputPart part);

  OutputClaim claim_;
  const FormatRow* format_;  // format of the output; nullptr if the output is the recording
  std::string path_;
  std::string recording_;
  OutputPart part_;
};

// Returns the number for %n of the first file of a series: files of earlier series with the same
// pattern have lower numbers, and are kept. Returns 1 if the name of the file has no %n.
uint32_t FirstNumberOfSeries(const std::string& pattern);

// Returns the absolute path of file=. A relative pattern is relative to the working folder.
// `number` replaces %n.
Result<std::string> AbsoluteOutputPath(const std::string& pattern, uint32_t number);

}  // namespace jprof
