// OutputPlace: where output goes: a folder, held open, and a name in it; or a stream.
//
// The path is walked folder by folder through descriptors: what was looked at is what is used, and
// neither a chdir nor a folder that is exchanged meanwhile matters. A symbolic link stands for the
// file that it names, but only if it is the caller's or root's and lies in a folder where nobody
// else may write: anybody can put a link into /tmp, and would choose what we replace.
//
// Thread-safe: no state. Any thread, outside handlers.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "base/result.h"
#include "base/scoped_fd.h"
#include "sigsafe/base/check.h"

namespace jprof {

class OutputPlace {
 public:
  enum class Kind {
    kFile,    // regular, or not there yet
    kStream,  // a device, a FIFO, or a descriptor of this process (/dev/stdout, /dev/fd/3)
  };

  // Fails if a folder on the way is missing, for links as above, for links that lead nowhere, and
  // for what is neither file nor stream. The error names the entry.
  static Result<OutputPlace> Resolve(const std::string& path);

  // As Resolve; a stream is refused.
  static Result<OutputPlace> ResolveFile(const std::string& path);

  Kind kind() const { return kind_; }
  const std::string& path() const { return path_; }  // as given, for messages

  // REQUIRES: kind() is kFile.
  int folder() const {
    JPROF_CHECK(kind_ == Kind::kFile);
    return folder_.get();
  }
  const std::string& name() const { return name_; }

  // Another name in the same folder. REQUIRES: kind() is kFile.
  void Rename(const std::string& name);

  // Opens a stream for writing. A FIFO that nobody reads is waited for, or refused.
  // REQUIRES: kind() is kStream.
  enum class Unread { kWait, kRefuse };
  Result<ScopedFd> OpenStream(Unread unread) const;

  // Opens a file to change it where it is. In a folder that others may write to it must have no
  // other name: it would be a file from elsewhere. REQUIRES: kind() is kFile.
  Result<ScopedFd> OpenFile(int flags) const;

 private:
  OutputPlace(Kind kind, ScopedFd folder, std::string name, std::string path)
      : kind_(kind), folder_(std::move(folder)), name_(std::move(name)), path_(std::move(path)) {}

  friend class PathWalk;

  Kind kind_;
  ScopedFd folder_;
  std::string name_;  // a descriptor's number, if there is no folder
  std::string path_;
  bool is_shared_ = false;  // users other than this one and root may write to the folder
};

// Which file it is, whatever its name. Numbers of removed files are used again.
struct FileIdentity {
  dev_t device;
  ino_t number;
  bool operator==(const FileIdentity&) const = default;
};

// Of the regular file at `path`, by the rules of OutputPlace; nullopt: there is none.
std::optional<FileIdentity> IdentityOf(const std::string& path);

// Removes the file at `path`, by the rules of OutputPlace; fine if there is none.
Status RemoveOutput(const std::string& path);

// Renames within `folder` unless the new name is taken; errno is EEXIST then.
bool RenameNoReplace(int folder, const std::string& from, const std::string& to);

// True if `name` in `folder` is the file that `fd` has open.
bool IsSameFile(int folder, const std::string& name, int fd);

}  // namespace jprof
