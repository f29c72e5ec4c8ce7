// LaunchFolder: the private folder in which the JVMs of a launched command record, a file each,
// beside the result.
//
// The folder also holds the lease (recording/caller_lease.h): without it, recordings end within a
// second or two, and stay in the folder if jprof has died.
//
// jprof's one thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "attach/deadline.h"
#include "attach/failure.h"
#include "base/output_place.h"
#include "base/scoped_fd.h"

namespace jprof {

// A recording in the folder.
struct LaunchedRecording {
  std::string name;
  pid_t pid = 0;  // of the JVM, in its own namespace
  uint64_t bytes = 0;
  bool was_cut_off = false;   // its JVM was killed
  bool is_recording = false;  // its JVM lives, and records
};

class LaunchFolder {
 public:
  // REQUIRES: `beside` is an absolute path.
  static Outcome<LaunchFolder> Create(const std::string& beside);

  LaunchFolder(LaunchFolder&& other) noexcept;
  LaunchFolder& operator=(LaunchFolder&&) = delete;
  ~LaunchFolder();  // removes an empty folder

  const std::string& path() const { return path_; }
  std::string PathOf(const std::string& name) const { return path_ + '/' + name; }
  // Of the names of the recordings: no two are equal, whatever namespaces their JVMs are in.
  std::string Pattern() const { return "%p-%t-%u.jfr"; }
  std::string LeasePath() const;

  // Ends the recordings of the JVMs that live, and waits for them.
  void EndRecordings(const Deadline& deadline);

  // Ordered by name.
  std::vector<LaunchedRecording> List() const;

  Outcome<ScopedFd> Open(const std::string& name) const;
  Status MoveTo(const std::string& name, const std::string& path) const;
  // Removes the recording and what a killed JVM has left beside it.
  void Remove(const LaunchedRecording& recording) const;

 private:
  LaunchFolder(OutputPlace parent, std::string name, std::string path, ScopedFd fd)
      : parent_(std::move(parent)),
        name_(std::move(name)),
        path_(std::move(path)),
        fd_(std::move(fd)) {}

  bool TakeLease();

  OutputPlace parent_;
  std::string name_;
  std::string path_;
  ScopedFd fd_;  // invalid: moved from
  ScopedFd lease_;
};

}  // namespace jprof
