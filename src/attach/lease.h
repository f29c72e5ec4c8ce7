// Lease: a lock on a file in the target's /tmp. The kernel releases the lock when this process
// exits. The released lock tells the agent that jprof will not fetch the recording
// (recording/caller_lease.h).
//
// Used on jprof's only thread.
#pragma once

#include <optional>
#include <string>

#include "attach/target_folder.h"
#include "base/scoped_fd.h"

namespace jprof {

class Lease {
 public:
  // Takes a lease on a new file. Returns nullopt if the file cannot be created or locked.
  // `fallback_path`: the path in the target's file system to which the agent moves the recording if
  // this process exits early. If the path is empty, the recording stays in its place; if it is
  // kKeepNothing, the agent removes the recording. REQUIRES: `folder` outlives the lease.
  static std::optional<Lease> Take(const TargetFolder& folder, const std::string& fallback_path);

  Lease(Lease&&) noexcept = default;
  Lease& operator=(Lease&&) = delete;
  ~Lease();

  // Takes a lease without a fallback path, on a new file whose name ends with `digits`. Returns
  // nullopt if the file cannot be created or locked.
  static std::optional<Lease> TakeNamed(const TargetFolder& folder, const std::string& digits);

  // Returns the path of the file in the target's file system.
  std::string path() const { return folder_->PathOf(name_); }

 private:
  static std::optional<Lease> Make(const TargetFolder& folder, std::string name,
                                   const std::string& content);

  Lease(const TargetFolder& folder, std::string name, ScopedFd fd)
      : folder_(&folder), name_(std::move(name)), fd_(std::move(fd)) {}

  const TargetFolder* folder_;
  std::string name_;
  ScopedFd fd_;  // invalid if moved from
};

}  // namespace jprof
