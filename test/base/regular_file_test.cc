#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "base/scoped_fd.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

class RegularFileTest : public testing::Test {
 protected:
  test::TempFolder folder_;
  const std::string file_ = folder_.File("file");
  const std::string link_ = folder_.File("link");

  void SetUp() override {
    std::ofstream(file_) << "content";
    ASSERT_EQ(symlink(file_.c_str(), link_.c_str()), 0);
  }
};

TEST_F(RegularFileTest, IsOpenedForReading) {
  const Result<ScopedFd> file = OpenRegularFile(file_, LastLink::kRefuse);
  ASSERT_TRUE(file.ok()) << file.error().message();
  char text[16];
  EXPECT_EQ(read(file.value().get(), text, sizeof text), 7);
}

TEST_F(RegularFileTest, FollowsLinksOnlyIfAsked) {
  EXPECT_TRUE(OpenRegularFile(link_, LastLink::kFollow).ok());
  EXPECT_FALSE(OpenRegularFile(link_, LastLink::kRefuse).ok());
}

// A plain open of the FIFO would wait forever.
TEST_F(RegularFileTest, OtherEntriesAreNotOpened) {
  const std::string fifo = folder_.File("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& path : {fifo, std::string("/dev/null"), std::string("/tmp")}) {
    const Result<ScopedFd> file = OpenRegularFile(path, LastLink::kFollow);
    ASSERT_FALSE(file.ok());
    EXPECT_EQ(file.error().message(), path + " is not a regular file");
  }
}

TEST_F(RegularFileTest, AMissingFileIsNamed) {
  const Result<ScopedFd> file = OpenRegularFile(folder_.File("none"), LastLink::kFollow);
  ASSERT_FALSE(file.ok());
  EXPECT_NE(file.error().message().find("none"), std::string::npos);
}

}  // namespace
}  // namespace jprof
