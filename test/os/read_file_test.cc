#include "os/read_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace jprof {
namespace {

TEST(ReadFileTest, ReadsFilesOfUnknownSize) {
  const Result<std::string> maps = ReadFile("/proc/self/maps");
  ASSERT_TRUE(maps.ok());
  EXPECT_NE(maps.value().find("[stack]"), std::string::npos);
}

TEST(ReadFileTest, AMissingFileIsNamedInTheError) {
  const Result<std::string> missing = ReadFile("/no/such/file");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message(), "cannot open /no/such/file: No such file or directory");
}

TEST(ReadFileTest, ReadsFilesUpToTheLimit) {
  char path[] = "/tmp/read_file_test.XXXXXX";
  const int fd = mkstemp(path);
  ASSERT_EQ(write(fd, "12345", 5), 5);
  close(fd);
  EXPECT_EQ(ReadFile(path, 5).value(), "12345");
  EXPECT_FALSE(ReadFile(path, 4).ok());
  unlink(path);
}

}  // namespace
}  // namespace jprof
