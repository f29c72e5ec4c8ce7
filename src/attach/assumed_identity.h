// AssumedIdentity: the calling process acts as another user for a scope, if it may.
//
// HotSpot takes a file or a connection only from its own effective user and group (or, in newer
// releases, root), and a file that root makes for the target must be the target's. For a process
// that is not root nothing changes: it is the user already, or the kernel refuses what follows.
//
// Not thread-safe: identity is the whole process's.
#pragma once

#include <sys/types.h>

namespace jprof {

class AssumedIdentity {
 public:
  AssumedIdentity(uid_t uid, gid_t gid);
  ~AssumedIdentity();
  AssumedIdentity(const AssumedIdentity&) = delete;
  AssumedIdentity& operator=(const AssumedIdentity&) = delete;

 private:
  const uid_t previous_uid_;
  const gid_t previous_gid_;
};

}  // namespace jprof
