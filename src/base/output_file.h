// OutputFile: a file that appears under its name only when it is complete.
//
// Grows as `.<name>.<pid>.part` in the same folder; Publish renames the file, the destructor
// removes an unpublished file. One thread.
#pragma once

#include <string>

#include "base/output_place.h"
#include "base/result.h"
#include "base/scoped_fd.h"

namespace jprof {

class OutputFile {
 public:
  // Fails if the folder cannot be written to, or an entry of another user has the temporary name.
  // REQUIRES: place.kind() is kFile.
  static Result<OutputFile> Create(OutputPlace place);

  // Whether a file could be created at `path` now: writes a little and removes the file.
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
