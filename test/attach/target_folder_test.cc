#include "attach/target_folder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace jprof {
namespace {

using testing::HasSubstr;

class TargetFolderTest : public testing::Test {
 protected:
  TargetFolderTest() {
    std::string pattern = testing::TempDir() + "target-folder-XXXXXX";
    path_ = mkdtemp(pattern.data());
    Outcome<TargetFolder> folder = TargetFolder::OpenHere(path_, geteuid(), getegid());
    if (folder) folder_ = std::move(folder).value();
  }
  ~TargetFolderTest() override { std::filesystem::remove_all(path_); }

  std::string path_;
  std::optional<TargetFolder> folder_;
};

TEST_F(TargetFolderTest, CreateFailsIfTheFileExists) {
  ASSERT_TRUE(folder_->Create("new", 0600).ok());
  struct stat info;
  ASSERT_EQ(stat(folder_->PathOf("new").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_FALSE(folder_->Create("new", 0600).ok());
  folder_->Remove("new");
  EXPECT_TRUE(folder_->Create("new", 0600).ok());
}

TEST_F(TargetFolderTest, NoSymbolicLinkIsFollowed) {
  std::ofstream(path_ + "/real") << "text";
  std::filesystem::create_symlink("real", path_ + "/link");
  EXPECT_TRUE(folder_->OpenFile("real").ok());
  EXPECT_FALSE(folder_->OpenFile("link").ok());
  std::filesystem::create_symlink("missing", path_ + "/dangling");
  EXPECT_FALSE(folder_->Create("dangling", 0600).ok());
  EXPECT_FALSE(std::filesystem::exists(path_ + "/missing"));
}

TEST_F(TargetFolderTest, OnlyRegularFilesAreRead) {
  ASSERT_EQ(mkfifo((path_ + "/fifo").c_str(), 0600), 0);
  EXPECT_FALSE(folder_->OpenFile("fifo").ok());
  std::filesystem::create_directory(path_ + "/folder");
  EXPECT_FALSE(folder_->OpenFile("folder").ok());
}

TEST_F(TargetFolderTest, RefusesAFileOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make one";
  std::ofstream(path_ + "/theirs") << "text";
  ASSERT_EQ(chown((path_ + "/theirs").c_str(), 65534, 65534), 0);
  const Outcome<ScopedFd> file = folder_->OpenFile("theirs");
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().kind(), FailureKind::kPermission);
}

TEST_F(TargetFolderTest, RootMakesFilesAsTheTargetsUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
  ASSERT_EQ(chown(path_.c_str(), 65534, 65534), 0);
  Outcome<TargetFolder> theirs = TargetFolder::OpenHere(path_, 65534, 65534);
  ASSERT_TRUE(theirs.ok());
  ASSERT_TRUE(theirs.value().Create("new", 0600).ok());
  struct stat info;
  ASSERT_EQ(stat((path_ + "/new").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 65534u);
  EXPECT_EQ(info.st_gid, 65534u);
  EXPECT_EQ(geteuid(), 0u);
  EXPECT_EQ(getegid(), 0u);
}

TEST_F(TargetFolderTest, AcceptsAMissingSocketAndRefusesAFileInItsPlace) {
  const auto missing = folder_->FindSocket("socket");
  ASSERT_TRUE(missing.ok());
  EXPECT_FALSE(missing.value().has_value());
  std::ofstream(path_ + "/socket") << "text";
  const auto file = folder_->FindSocket("socket");
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(file.error().message(), HasSubstr("socket"));
}

TEST(RandomNameTest, NoTwoNamesAreAlike) {
  EXPECT_NE(RandomName("a-"), RandomName("a-"));
  EXPECT_EQ(RandomName("a-").size(), 2u + 16);
}

}  // namespace
}  // namespace jprof
