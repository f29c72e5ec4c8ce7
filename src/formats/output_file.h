// OutputFile: a file that appears under its name only when it is complete.
//
// Grows as `.<name>.<pid>.part` in the same folder; Publish renames it, the destructor of one that
// was not published removes it. One thread.
#pragma once

#include <string>

#include "base/result.h"
#include "base/scoped_fd.h"

namespace jprof {

class OutputFile {
 public:
  // Fails if the folder cannot be written to, or `path` names something other than a regular file.
  // A symbolic link stands for the file it names.
  static Result<OutputFile> Create(const std::string& path);

  OutputFile(OutputFile&& other) noexcept = default;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  int fd() const { return fd_.get(); }
  Status Publish();

 private:
  OutputFile(std::string path, std::string part, ScopedFd fd)
      : path_(std::move(path)), part_(std::move(part)), fd_(std::move(fd)) {}

  std::string path_;
  std::string part_;
  ScopedFd fd_;  // invalid: published or moved from
};

}  // namespace jprof
