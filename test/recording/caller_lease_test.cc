#include "recording/caller_lease.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "support/temp_folder.h"

namespace jprof {
namespace {

using ::testing::HasSubstr;

class CallerLeaseTest : public ::testing::Test {
 protected:
  test::TempFolder folder_;
  const std::string path_ = folder_.File(".jprof-lease-1");
};

TEST_F(CallerLeaseTest, ALeaseEndsWithItsHolderAndLeavesNoFile) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t holder = fork();
  if (holder == 0) {
    const int fd = open(path_.c_str(), O_WRONLY | O_CREAT, 0600);
    const bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0 && write(fd, "/a.jfr", 6) == 6;
    if (locked && write(ready[1], "x", 1) == 1) pause();
    _exit(1);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  const Result<CallerLease> lease = CallerLease::Open(path_);
  ASSERT_TRUE(lease.ok()) << lease.error().message();
  EXPECT_TRUE(folder_.Names().empty());
  EXPECT_EQ(lease.value().keep_as(), "/a.jfr");
  EXPECT_TRUE(lease.value().IsHeld());
  kill(holder, SIGSTOP);
  EXPECT_TRUE(lease.value().IsHeld());
  kill(holder, SIGKILL);
  ASSERT_EQ(waitpid(holder, nullptr, 0), holder);
  EXPECT_FALSE(lease.value().IsHeld());
  EXPECT_FALSE(lease.value().IsHeld()) << "looking takes no lock";
}

TEST_F(CallerLeaseTest, RemovesOnlyAFileWithTheNameOfALease) {
  { const std::ofstream other(folder_.File("other")); }
  ASSERT_TRUE(CallerLease::Open(folder_.File("other")).ok());
  EXPECT_EQ(folder_.Names().size(), 1u);
}

TEST_F(CallerLeaseTest, RefusesAPathThatIsNoRegularFile) {
  ASSERT_EQ(mkfifo(folder_.File("fifo").c_str(), 0600), 0);
  ASSERT_EQ(symlink("fifo", folder_.File("link").c_str()), 0);
  EXPECT_THAT(CallerLease::Open(folder_.File("fifo")).error().message(),
              HasSubstr("not a regular file"));
  EXPECT_FALSE(CallerLease::Open(folder_.File("link")).ok());
  EXPECT_FALSE(CallerLease::Open(folder_.File("none")).ok());
}

}  // namespace
}  // namespace jprof
