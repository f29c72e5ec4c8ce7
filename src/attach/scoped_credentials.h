// ScopedCredentials: makes the calling process act as another user during a scope.
//
// HotSpot accepts a file or a connection only from its own effective user and group (or, in newer
// releases, root). A file that root creates for the target must belong to the target's user. During
// the scope the process acts only as the given user and group, without supplementary groups. If the
// calling process is not root, its credentials do not change. Such a process either runs as the
// given user already, or the kernel refuses its actions in the scope.
//
// Not thread-safe: credentials belong to the whole process.
#pragma once

#include <sys/types.h>

#include <vector>

#include "attach/failure.h"

namespace jprof {

class ScopedCredentials {
 public:
  // Starts to act as the user and group. Fails with kPermission, and leaves the credentials
  // unchanged, if root may not become that user.
  static Outcome<ScopedCredentials> Assume(uid_t uid, gid_t gid);

  ScopedCredentials(ScopedCredentials&& other) noexcept;
  ScopedCredentials& operator=(ScopedCredentials&&) = delete;
  // Restores the previous credentials. On failure prints one line to standard error and exits with
  // the code of kPermission, because the process must not continue with the rights of two users.
  ~ScopedCredentials();

 private:
  struct Previous {
    uid_t uid;
    gid_t gid;
    std::vector<gid_t> groups;
  };

  ScopedCredentials() = default;
  // Restores the previous credentials. Returns the name of the failed call, or nullptr.
  const char* Restore() const;

  Previous previous_ = {};
  bool is_assumed_ = false;
};

}  // namespace jprof
