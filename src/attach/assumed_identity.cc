#include "attach/assumed_identity.h"

#include <unistd.h>

#include <cstdlib>

namespace jprof {

AssumedIdentity::AssumedIdentity(uid_t uid, gid_t gid)
    : previous_uid_(geteuid()), previous_gid_(getegid()) {
  if (previous_uid_ != 0) return;
  // The group first: it takes root.
  if (setegid(gid) != 0 || seteuid(uid) != 0) {
    // An id that this user namespace does not know: stay what we are.
    if (seteuid(previous_uid_) != 0 || setegid(previous_gid_) != 0) abort();
  }
}

AssumedIdentity::~AssumedIdentity() {
  if (previous_uid_ != 0) return;
  // The real uid is root's still, so this cannot fail; going on with a mix of both would be wrong.
  if (seteuid(previous_uid_) != 0 || setegid(previous_gid_) != 0) abort();
}

}  // namespace jprof
