// OutputFile: a file that appears under its name only when it is complete.
//
// The file is first written as `.<name>.<pid>.part` in the folder in which it will appear. Publish
// renames the file, and the destructor removes an unpublished file. Not synchronized.
#pragma once

#include <string>

#include "base/output_place.h"
#include "base/result.h"
#include "base/scoped_fd.h"

namespace jprof {

class OutputFile {
 public:
  // Creates the temporary file. Fails if the folder cannot be written to, or if another user's
  // entry has the temporary name. REQUIRES: place.kind() is kFile.
  static Result<OutputFile> Create(OutputPlace place);

  // Tests whether a file can be created at `path` now: writes 64 kB to a temporary file and removes
  // it.
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
  ScopedFd fd_;  // invalid once published or moved from
};

}  // namespace jprof
