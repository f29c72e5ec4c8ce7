// RecordingTarget: the place of a recording: its folder, held open so that a later chdir does not
// matter, and its name there. A symbolic link stands for the file it names. Any thread.
#pragma once

#include <string>

#include "base/result.h"
#include "base/scoped_fd.h"

namespace jprof {

class RecordingTarget {
 public:
  // Fails if the folder does not exist, or the path names something other than a regular file: a
  // rename over /dev/null would replace the device for everybody.
  static Result<RecordingTarget> Resolve(const std::string& path);

  int folder() const { return folder_.get(); }
  const std::string& name() const { return name_; }
  const std::string& path() const { return path_; }  // for messages

 private:
  RecordingTarget(ScopedFd folder, std::string name, std::string path)
      : folder_(std::move(folder)), name_(std::move(name)), path_(std::move(path)) {}

  ScopedFd folder_;
  std::string name_;
  std::string path_;
};

}  // namespace jprof
