// RecordingOutput: the file that the user named, and the recording that it is made of.
//
// A name that ends with .html, .collapsed or .txt asks for that format: the agent then records to a
// hidden file beside it and converts that at every dump and at the stop. Any other name is the
// recording itself.
//
// Session's; one thread at a time.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "session/options/options.h"

namespace jprof {

class RecordingOutput {
 public:
  // Checks that a recording to `path`, which is absolute, could be written, is of a known format
  // and can have `part`: said at the start, not when there is something to lose.
  static Result<RecordingOutput> Choose(std::string path, const OutputPart& part);

  const std::string& path() const { return path_; }
  const std::string& recording() const { return recording_; }
  bool IsConverted() const { return path_ != recording_; }

  // Converts `recording`, the file that is being recorded to: another than recording() if that was
  // changed by somebody else. Nothing to do without a conversion. Returns a line about the choice
  // of events, "note: ...", or nothing.
  Result<std::string> Update(const std::string& recording) const;

  // The reason why there is no complete file, and that `recording` holds the rest.
  Error Incomplete(const Error& reason, const std::string& recording) const;

  // The last Update; the hidden recording then goes. If it fails it stays, and the error names it.
  Result<std::string> Complete(const std::string& recording) const;

  // For a result that nobody fetches any more: brings the file at `result` to `kept`, converting it
  // if that is of another format. Answers with where it is then; if that fails, where it was.
  static std::string Keep(const std::string& result, const std::string& kept);

 private:
  RecordingOutput(std::string path, OutputPart part);

  std::string path_;
  std::string recording_;
  OutputPart part_;
};

// The path that the pattern of file= gives, from the working folder; `number`: of the file, for %n.
Result<std::string> AbsoluteOutputPath(const std::string& pattern, uint32_t number);

}  // namespace jprof
