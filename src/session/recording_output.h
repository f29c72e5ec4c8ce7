// RecordingOutput: the file named by the user, and the recording that it is converted from.
//
// A name that ends with .html, .collapsed or .txt requests that format: the agent records to a
// hidden file beside it, and converts the recording at every dump and at the stop. Any other name
// is the recording itself.
//
// Used by the session; one thread at a time.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace jprof {

class RecordingOutput {
 public:
  // Whether a recording to `path` can be written and has a known format: checked at the start,
  // before data could be lost.
  static Status CheckPath(const std::string& path);

  // `path`: absolute.
  explicit RecordingOutput(std::string path);

  const std::string& path() const { return path_; }
  const std::string& recording() const { return recording_; }

  // Converts `recording`, the open recording: another file than recording() if that was changed by
  // other software. No effect without a conversion. Returns a line about the choice of events,
  // "note: ...", or nothing.
  Result<std::string> Update(const std::string& recording) const;

  // The error text: why the file is incomplete, and that `recording` holds the rest.
  Error Incomplete(const Error& reason, const std::string& recording) const;

  // The last Update, after which the hidden recording is removed. On failure it stays, and the
  // error names it.
  Result<std::string> Complete(const std::string& recording) const;

  // For an unfetched result: moves the file at `result` to `kept`, converted if that has another
  // format. Returns the path of the file: `kept`, or `result` on failure.
  static std::string Keep(const std::string& result, const std::string& kept);

 private:
  bool IsConverted() const { return path_ != recording_; }

  std::string path_;
  std::string recording_;
};

// The expanded path of file=, relative to the working folder; `number`: of the file, for %n.
Result<std::string> AbsoluteOutputPath(const std::string& pattern, uint32_t number);

}  // namespace jprof
