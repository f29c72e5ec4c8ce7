// ScopedCredentials: lets the calling process act as another user during a scope.
//
// HotSpot takes a file or a connection only from its own effective user and group (or, in newer
// releases, root), and a file that root creates for the target must belong to the target's user.
// During the scope none of the previous credentials is effective: neither user, nor group, nor
// supplementary groups; the other user has no supplementary groups. For a process that is not root
// nothing changes: the process runs as that user already, or the kernel refuses the accesses that
// follow.
//
// Not thread-safe: credentials belong to the whole process.
#pragma once

#include <sys/types.h>

#include <vector>

#include "attach/failure.h"

namespace jprof {

class ScopedCredentials {
 public:
  // Fails with kPermission if root may not become that user; the credentials are unchanged then.
  static Outcome<ScopedCredentials> Assume(uid_t uid, gid_t gid);

  ScopedCredentials(ScopedCredentials&& other) noexcept;
  ScopedCredentials& operator=(ScopedCredentials&&) = delete;
  // Restores the previous credentials. On failure the process must not go on with a mixture of two
  // users: prints one line to standard error and exits as kPermission.
  ~ScopedCredentials();

 private:
  struct Previous {
    uid_t uid;
    gid_t gid;
    std::vector<gid_t> groups;
  };

  ScopedCredentials() = default;
  // The name of the failed call, or nullptr.
  const char* Restore() const;

  Previous previous_ = {};
  bool is_assumed_ = false;
};

}  // namespace jprof
