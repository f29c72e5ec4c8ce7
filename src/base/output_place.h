// OutputPlace: the destination of output, which is either a name in a folder that is held open, or
// a stream.
//
// The path is resolved folder by folder through descriptors: the folder that was checked is the
// folder that is used, whatever a chdir or a rename changes meanwhile. A symbolic link is followed
// only if the caller or root owns the link and no other user may write to its folder: in /tmp any
// user could plant a link and choose the file that we replace.
//
// Thread-safe: no state. Not for signal handlers.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "base/result.h"
#include "base/scoped_fd.h"
#include "sigsafe/base/check.h"

namespace jprof {

// The mode of a new output file, before the umask.
inline constexpr mode_t kOutputMode = 0666;

class OutputPlace {
 public:
  enum class Kind {
    kFile,    // a regular file, or a name that is free
    kStream,  // a device, a FIFO, or a descriptor of this process (/dev/stdout, /dev/fd/3)
  };

  // Resolves a path. Fails for a missing folder, an untrusted or dangling link, and an entry that
  // is neither a file nor a stream. The error names the entry.
  static Result<OutputPlace> Resolve(const std::string& path);

  // Resolves a path as Resolve does, but also fails for a stream.
  static Result<OutputPlace> ResolveFile(const std::string& path);

  Kind kind() const { return kind_; }
  const std::string& path() const { return path_; }  // the path as given, for messages

  // REQUIRES: kind() is kFile.
  int folder() const {
    JPROF_CHECK(kind_ == Kind::kFile);
    return folder_.get();
  }
  const std::string& name() const { return name_; }

  // Changes the name within the folder. REQUIRES: kind() is kFile.
  void Rename(const std::string& name);

  enum class Unread { kWait, kRefuse };
  // Opens a stream for writing. `unread`: whether to wait for a reader if the stream is a FIFO
  // without one, or to fail. REQUIRES: kind() is kStream.
  Result<ScopedFd> OpenStream(Unread unread) const;

  // Opens the file to change it in place. Fails if other users may write to the folder and the file
  // has a second hard link: another user could have made that link to any file of this user.
  // REQUIRES: kind() is kFile.
  Result<ScopedFd> OpenFile(int flags) const;

 private:
  OutputPlace(Kind kind, ScopedFd folder, std::string name, std::string path)
      : kind_(kind), folder_(std::move(folder)), name_(std::move(name)), path_(std::move(path)) {}

  friend class PathWalk;

  Kind kind_;
  ScopedFd folder_;
  std::string name_;  // the name in the folder; the number of a descriptor if folder_ is invalid
  std::string path_;
  bool is_shared_ = false;  // users other than this one and root may write to the folder
};

// The identity of a file, independent of its name. Inode numbers of removed files are reused.
struct FileIdentity {
  dev_t device;
  ino_t number;
  bool operator==(const FileIdentity&) const = default;
};

// Returns the identity of the regular file at `path`, by the rules of OutputPlace; nullopt if
// `path` names no regular file.
std::optional<FileIdentity> IdentityOf(const std::string& path);

// Removes the file at `path`, by the rules of OutputPlace; succeeds if there is none.
Status RemoveOutput(const std::string& path);

// Removes the file at `path` only if it has the given identity. Succeeds if nothing is removed.
Status RemoveOutput(const std::string& path, const FileIdentity& identity);

// Renames an entry within `folder`. Fails with EEXIST in errno if the new name is taken.
bool RenameNoReplace(int folder, const std::string& from, const std::string& to);

// Inserts the suffix before the extension: "-4711" turns "a.html" into "a-4711.html" and "a.pb.gz"
// into "a-4711.pb.gz".
std::string WithSuffix(const std::string& path, const std::string& suffix);

// True if `name` in `folder` is the file that `fd` refers to.
bool IsSameFile(int folder, const std::string& name, int fd);

}  // namespace jprof
