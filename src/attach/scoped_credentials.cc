#include "attach/scoped_credentials.h"

#include <grp.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>

namespace jprof {
namespace {

Outcome<std::vector<gid_t>> OwnGroups() {
  const int count = getgroups(0, nullptr);
  std::vector<gid_t> groups(count > 0 ? static_cast<size_t>(count) : 0);
  const int got = count > 0 ? getgroups(count, groups.data()) : count;
  if (got < 0) return Failure::FromErrno(FailureKind::kPermission, "getgroups", "");
  groups.resize(static_cast<size_t>(got));
  return groups;
}

[[noreturn]] void ExitAsAMixture(const char* call) {
  const Error error = Error::FromErrno(call, "root");
  std::fprintf(stderr,
               "jprof: %s: it acted as another user and cannot become root again; what it was "
               "doing is not complete\n",
               error.message().c_str());
  _exit(ExitCodeOf(FailureKind::kPermission));
}

}  // namespace

Outcome<ScopedCredentials> ScopedCredentials::Assume(uid_t uid, gid_t gid) {
  ScopedCredentials identity;
  // Root needs no change of credentials for a JVM that also runs as root.
  if (geteuid() != 0 || (uid == 0 && gid == getegid())) return identity;
  Outcome<std::vector<gid_t>> groups = OwnGroups();
  if (!groups) return groups.error();
  identity.previous_ = {geteuid(), getegid(), std::move(groups).value()};
  const char* failed = nullptr;
  // The user is changed last, because the other calls need root.
  if (setgroups(0, nullptr) != 0) {
    failed = "setgroups";
  } else if (setegid(gid) != 0) {
    failed = "setegid";
  } else if (seteuid(uid) != 0) {
    failed = "seteuid";
  }
  if (failed == nullptr) {
    identity.is_assumed_ = true;
    return identity;
  }
  const std::string user = std::to_string(uid) + ":" + std::to_string(gid);
  const Error error = Error::FromErrno(failed, user);
  if (const char* call = identity.Restore(); call != nullptr) ExitAsAMixture(call);
  return Failure(FailureKind::kPermission,
                 "cannot act as uid and gid " + user + " of the JVM (" + error.message() +
                     "): run jprof as that user, or where that user exists (in its container)");
}

ScopedCredentials::ScopedCredentials(ScopedCredentials&& other) noexcept
    : previous_(std::move(other.previous_)), is_assumed_(std::exchange(other.is_assumed_, false)) {}

ScopedCredentials::~ScopedCredentials() {
  if (!is_assumed_) return;
  if (const char* call = Restore(); call != nullptr) ExitAsAMixture(call);
}

const char* ScopedCredentials::Restore() const {
  if (seteuid(previous_.uid) != 0) return "seteuid";
  if (setegid(previous_.gid) != 0) return "setegid";
  // If setgroups failed in Assume, the groups have not changed and are not restored.
  const Outcome<std::vector<gid_t>> groups = OwnGroups();
  if (groups && groups.value() == previous_.groups) return nullptr;
  return setgroups(previous_.groups.size(), previous_.groups.data()) == 0 ? nullptr : "setgroups";
}

}  // namespace jprof
