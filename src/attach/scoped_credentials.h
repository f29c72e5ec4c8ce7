// ScopedCredentials: the calling process acts as another user for a scope.
//
// HotSpot takes a file or a connection only from its own effective user and group (or, in newer
// releases, root), and a file that root makes for the target must be the target's. While the scope
// lasts, nothing of the previous identity is effective: neither its user, nor its group, nor its
// supplementary groups, of which the other user gets none. For a process that is not root nothing
// changes: it is the user already, or the kernel refuses what follows.
//
// Not thread-safe: identity is the whole process's.
#pragma once

#include <sys/types.h>

#include <vector>

#include "attach/failure.h"

namespace jprof {

class ScopedCredentials {
 public:
  // kPermission if root may not become that user; it is what it was then.
  static Outcome<ScopedCredentials> Assume(uid_t uid, gid_t gid);

  ScopedCredentials(ScopedCredentials&& other) noexcept;
  ScopedCredentials& operator=(ScopedCredentials&&) = delete;
  // Becomes what it was. A process that cannot must not go on as a mix of two users: one line on
  // standard error, and it exits as kPermission.
  ~ScopedCredentials();

 private:
  struct Previous {
    uid_t uid;
    gid_t gid;
    std::vector<gid_t> groups;
  };

  ScopedCredentials() = default;
  // The call that failed, or nullptr.
  const char* Restore() const;

  Previous previous_ = {};
  bool is_assumed_ = false;
};

}  // namespace jprof
