#include "attach/scoped_credentials.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <vector>

#include "base/scoped_fd.h"
#include "support/sanitizer.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr uid_t kUser = 12345;
constexpr gid_t kGroup = 23456;
constexpr gid_t kSecrets = 34567;  // a supplementary group of root

std::vector<gid_t> Groups() {
  std::vector<gid_t> groups(static_cast<size_t>(getgroups(0, nullptr)));
  EXPECT_EQ(getgroups(static_cast<int>(groups.size()), groups.data()),
            static_cast<int>(groups.size()));
  return groups;
}

void DropCapability(unsigned capability) {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  if (syscall(SYS_capget, &header, data) != 0) abort();
  data[0].effective &= ~(1u << capability);
  data[0].permitted &= ~(1u << capability);
  if (syscall(SYS_capset, &header, data) != 0) abort();
}

class ScopedCredentialsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
    before_ = Groups();
    const gid_t groups[] = {0, kSecrets};
    if (setgroups(2, groups) != 0) GTEST_SKIP() << "this namespace allows no setgroups";
  }
  void TearDown() override {
    if (before_) {
      ASSERT_EQ(setgroups(before_->size(), before_->data()), 0);
    }
  }

  std::optional<std::vector<gid_t>> before_;
};

TEST_F(ScopedCredentialsTest, NoGroupOfRootIsLeftAndAllComeBack) {
  {
    const Outcome<ScopedCredentials> as_user = ScopedCredentials::Assume(kUser, kGroup);
    ASSERT_TRUE(as_user.ok()) << as_user.error().message();
    EXPECT_EQ(geteuid(), kUser);
    EXPECT_EQ(getegid(), kGroup);
    EXPECT_THAT(Groups(), IsEmpty());
  }
  EXPECT_EQ(geteuid(), 0u);
  EXPECT_EQ(getegid(), 0u);
  EXPECT_THAT(Groups(), ElementsAre(0, kSecrets));
}

TEST_F(ScopedCredentialsTest, AFileForAGroupOfRootCannotBeRead) {
  test::TempFolder folder;
  ASSERT_EQ(chmod(folder.File("").c_str(), 0755), 0);
  const std::string secret = folder.File("secret");
  std::ofstream(secret) << "text";
  ASSERT_EQ(chown(secret.c_str(), 0, kSecrets), 0);
  ASSERT_EQ(chmod(secret.c_str(), 0640), 0);
  const Outcome<ScopedCredentials> as_user = ScopedCredentials::Assume(kUser, kGroup);
  ASSERT_TRUE(as_user.ok());
  EXPECT_FALSE(ScopedFd(open(secret.c_str(), O_RDONLY | O_CLOEXEC)).valid());
}

TEST_F(ScopedCredentialsTest, RefusesRootThatMayNotChangeGroups) {
  if (test::kUnderTsan) GTEST_SKIP() << "ThreadSanitizer's own thread keeps the capability";
  const auto try_without_capability = [] {
    DropCapability(CAP_SETGID);
    const Outcome<ScopedCredentials> as_user = ScopedCredentials::Assume(kUser, kGroup);
    if (as_user.ok() || geteuid() != 0 || Groups().size() != 2) _exit(1);
    std::fprintf(stderr, "%s\n", as_user.error().message().c_str());
    _exit(as_user.error().kind() == FailureKind::kPermission ? 0 : 2);
  };
  EXPECT_EXIT(
      try_without_capability(), testing::ExitedWithCode(0),
      "cannot act as uid and gid 12345:23456 of the JVM .cannot setgroups.*run jprof as that user");
}

TEST_F(ScopedCredentialsTest, EndsAProcessThatCannotBecomeRootAgain) {
  const auto lose_root = [] {
    {
      const Outcome<ScopedCredentials> as_user = ScopedCredentials::Assume(kUser, kGroup);
      if (!as_user.ok() || setresuid(kUser, kUser, kUser) != 0) _exit(1);
    }
    _exit(0);  // not reached, unless the process went on with mixed credentials
  };
  EXPECT_EXIT(lose_root(), testing::ExitedWithCode(6), "cannot become root again");
}

TEST_F(ScopedCredentialsTest, ForAJvmOfRootNothingChanges) {
  const Outcome<ScopedCredentials> as_root = ScopedCredentials::Assume(0, getegid());
  ASSERT_TRUE(as_root.ok());
  EXPECT_THAT(Groups(), ElementsAre(0, kSecrets));
}

}  // namespace
}  // namespace jprof
