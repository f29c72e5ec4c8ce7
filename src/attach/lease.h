// Lease: a lock on a file in the target's /tmp that the kernel releases when this process exits.
// The agent then knows that nobody will fetch the recording (recording/caller_lease.h).
//
// jprof's one thread.
#pragma once

#include <optional>
#include <string>

#include "attach/target_folder.h"
#include "base/scoped_fd.h"

namespace jprof {

class Lease {
 public:
  // `fallback_path`: the place for the recording if this process exits early, as the target names
  // it; empty: the recording stays in its place; kKeepNothing: it is removed. nullopt if files
  // cannot be created or locked. REQUIRES: `folder` outlives the lease.
  static std::optional<Lease> Take(const TargetFolder& folder, const std::string& fallback_path);

  Lease(Lease&&) noexcept = default;
  Lease& operator=(Lease&&) = delete;
  ~Lease();

  // A lease without a place for a recording, whose name ends with `digits`.
  static std::optional<Lease> TakeNamed(const TargetFolder& folder, const std::string& digits);

  // As the target names it.
  std::string path() const { return folder_->PathOf(name_); }

 private:
  static std::optional<Lease> Make(const TargetFolder& folder, std::string name,
                                   const std::string& content);

  Lease(const TargetFolder& folder, std::string name, ScopedFd fd)
      : folder_(&folder), name_(std::move(name)), fd_(std::move(fd)) {}

  const TargetFolder* folder_;
  std::string name_;
  ScopedFd fd_;  // invalid: moved from
};

}  // namespace jprof
