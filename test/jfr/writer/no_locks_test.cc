// Simulates file systems without locks by replacing flock by a function that fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>

#include "jfr/writer/jfr_file.h"
#include "jfr/writer/jfr_writer.h"
#include "support/temp_folder.h"

namespace {

int g_lock_error = 0;  // 0: locks work

}  // namespace

// Replaces glibc's flock.
extern "C" int flock(int fd, int operation) noexcept {
  if (g_lock_error == 0) return static_cast<int>(syscall(SYS_flock, fd, operation));
  errno = g_lock_error;
  return -1;
}

namespace jprof {
namespace {

class NoLocksTest : public ::testing::Test {
 protected:
  NoLocksTest() { g_lock_error = EPERM; }
  ~NoLocksTest() override { g_lock_error = 0; }

  test::TempFolder folder_;
  const std::string path_ = folder_.File("a.jfr");
};

TEST_F(NoLocksTest, WritesARecordingWithoutLocks) {
  auto writer = JfrWriter::Open(path_, ChunkClock{});
  ASSERT_TRUE(writer.ok()) << writer.error().message();
  ASSERT_TRUE(writer.value()->Seal(1'000'000).ok());
  EXPECT_EQ(test::ParseRecording(test::ReadFile(path_)).size(), 1u);
}

TEST_F(NoLocksTest, NamesAFileThatMightBeStale) {
  const std::string name = ".a.jfr." + std::to_string(getpid()) + ".open";
  std::ofstream(folder_.File(name)).put(' ');
  const auto writer = JfrWriter::Open(path_, ChunkClock{});
  ASSERT_FALSE(writer.ok());
  EXPECT_THAT(writer.error().message(), testing::HasSubstr(name));
  EXPECT_THAT(writer.error().message(), testing::HasSubstr("Operation not permitted"));
}

}  // namespace
}  // namespace jprof
