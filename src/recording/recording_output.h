// RecordingOutput: the file named by the user, and the recording that it is converted from.
//
// A name that ends with .html, .collapsed or .txt requests that format: the agent records to a
// hidden file beside it, and converts the recording at every dump and at the stop. Any other name
// is the recording itself.
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
  // Checks that a recording to `path`, which is absolute, can be written, has a known format and
  // can have `part`: at the start, before data could be lost. Claims the path until the object
  // dies; if another process writes to it, claims one beside it.
  static Result<RecordingOutput> Choose(const std::string& path, const OutputPart& part);

  const std::string& path() const { return path_; }
  const OutputClaim& claim() const { return claim_; }
  // Releases the claim of a complete output, for a process that ends without destructors.
  void ReleaseClaim() { claim_.Release(); }
  const std::string& recording() const { return recording_; }
  bool IsConverted() const { return format_ != nullptr; }

  // Converts `recording`, the open recording: another file than recording() if that was changed by
  // other software. No effect without a conversion. Returns a line about the choice of events,
  // "note: ...", or nothing.
  Result<std::string> Update(const std::string& recording) const;

  // The error text: why the file is incomplete, and that `recording` holds the rest.
  Error Incomplete(const Error& reason, const std::string& recording) const;

  // The last Update, after which the hidden recording is removed. On failure it stays, and the
  // error names it.
  Result<std::string> Complete(const std::string& recording) const;

  // For an unfetched result: moves the file at `result` to `wanted`, converted if that has another
  // format. If another process writes to `wanted`, takes a path beside it. Returns the path of the
  // file, which is `result` on failure.
  static std::string Keep(const std::string& result, const std::string& wanted);

 private:
  RecordingOutput(OutputClaim claim, const FormatRow* format, OutputPart part);

  OutputClaim claim_;
  const FormatRow* format_;  // that the recording is converted to; nullptr: none
  std::string path_;
  std::string recording_;
  OutputPart part_;
};

// Returns the number for %n of the first file of a series: files of earlier series with the same
// pattern have lower ones, and are kept. 1 where the name of the file has no %n.
uint32_t FirstNumberOfSeries(const std::string& pattern);

// Returns the expanded path of file=, which is relative to the working folder. `number`: of the
// file, for %n.
Result<std::string> AbsoluteOutputPath(const std::string& pattern, uint32_t number);

}  // namespace jprof
