// LaunchFolder: the private folder in which the JVMs of a launched command record, each to a file
// of its own. This folder and the result have the same parent folder.
//
// The folder also contains the lease (recording/caller_lease.h), a file that jprof keeps locked.
// Once jprof closes the lease or dies, the recordings end within a second or two. If jprof has
// died, the recordings stay where they are.
//
// Used on jprof's only thread.
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

// The state of a JVM, as shown by the side file of its recording. The side file contains the
// recording's open chunk (jfr/writer/side_file.h), and is locked by the JVM while the JVM lives.
enum class SideFileState {
  kNone,      // no side file exists: no chunk is open
  kLocked,    // the JVM is recording
  kLeftOver,  // the JVM died with an open chunk
};

// Returns the name of the side file of the recording named `recording`. Both names are without a
// folder. `pid`: the JVM's pid in its own namespace.
std::string SideFileName(const std::string& recording, pid_t pid);

// Returns the state of the side file `name` in the folder with the descriptor `folder`. Follows no
// symbolic link.
SideFileState StateOfSideFile(int folder, const std::string& name);

// A recording in the folder.
struct LaunchedRecording {
  std::string name;
  pid_t pid = 0;  // the JVM's pid in its own namespace
  uint64_t bytes = 0;
  bool was_cut_off = false;   // the JVM was killed while recording
  bool is_recording = false;  // the JVM is still recording
};

class LaunchFolder {
 public:
  // Creates the folder in the parent folder of the path `beside`. REQUIRES: `beside` is an absolute
  // path.
  static Outcome<LaunchFolder> Create(const std::string& beside);

  LaunchFolder(LaunchFolder&& other) noexcept;
  LaunchFolder& operator=(LaunchFolder&&) = delete;
  ~LaunchFolder();  // removes the lease, and the folder if it is then empty

  const std::string& path() const { return path_; }
  std::string PathOf(const std::string& name) const { return path_ + '/' + name; }
  // Returns the pattern for the names of the recordings (options/file_pattern.h). The names differ
  // even if JVMs in different namespaces have the same pid.
  std::string Pattern() const { return "%p-%t-%u.jfr"; }
  std::string LeasePath() const;

  // Ends all recordings by closing the lease, and waits until all recordings are complete or the
  // deadline has passed.
  void EndRecordings(const Deadline& deadline);

  // Returns the recordings, ordered by name.
  std::vector<LaunchedRecording> List() const;

  Outcome<ScopedFd> Open(const std::string& name) const;
  // Moves the recording `name` to `path`.
  Status MoveTo(const std::string& name, const std::string& path) const;
  // Removes the recording and the files that a killed JVM has left beside it.
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
  ScopedFd fd_;  // invalid if moved from
  ScopedFd lease_;
};

}  // namespace jprof
