// OutputFile: a file that appears under its name only when it is complete.
//
// Grows as `.<name>.<pid>.part` in the same folder; Publish renames it, the destructor of one that
// was not published removes it. One thread.
#pragma once

#include <string>

#include "base/output_place.h"
#include "base/result.h"
#include "base/scoped_fd.h"

namespace jprof {

class OutputFile {
 public:
  // Fails if the folder cannot be written to, or somebody else has put something in the way.
  // REQUIRES: the place is a file's.
  static Result<OutputFile> Create(OutputPlace place);

  // Whether a file could be made there now: writes a little and leaves nothing.
  static Status Try(const std::string& path);

  OutputFile(OutputFile&& other) noexcept = default;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  int fd() const { return fd_.get(); }
  Status Publish();

 private:
  OutputFile(OutputPlace place, std::string part, ScopedFd fd)
      : place_(std::move(place)), part_(std::move(part)), fd_(std::move(fd)) {}

  OutputPlace place_;
  std::string part_;
  ScopedFd fd_;  // invalid: published or moved from
};

}  // namespace jprof
