#include "agent/answer_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/temp_folder.h"

namespace jprof {
namespace {

class AnswerFileTest : public testing::Test {
 protected:
  AnswerFileTest() {
    std::string pattern = testing::TempDir() + "answer-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~AnswerFileTest() override { std::filesystem::remove_all(folder_); }

  std::string Content(const std::string& name) const {
    std::ifstream file(folder_ + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string folder_;
};

TEST_F(AnswerFileTest, HoldsTheAnswerForItsUserOnly) {
  const Error answer("two\nlines\n", ErrorKind::kJvmIsStarting);
  ASSERT_TRUE(WriteAnswerFile(folder_ + "/a", answer).ok());
  EXPECT_EQ(Content("a"), EncodeAnswer(answer));
  struct stat info;
  ASSERT_EQ(stat((folder_ + "/a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(AnswerFileTest, NeverWritesToAnExistingFile) {
  std::ofstream(folder_ + "/there") << "mine";
  std::filesystem::create_symlink("there", folder_ + "/link");
  std::filesystem::create_symlink("missing", folder_ + "/dangling");
  for (const std::string name : {"there", "link", "dangling"}) {
    EXPECT_FALSE(WriteAnswerFile(folder_ + "/" + name, Error("x")).ok()) << name;
  }
  EXPECT_EQ(Content("there"), "mine");
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/missing"));
}

TEST_F(AnswerFileTest, FindsTheOptionInAnInvalidString) {
  EXPECT_EQ(FindAnswerFile("start,bogus,answer=/tmp/a,,x"), "/tmp/a");
  EXPECT_EQ(FindAnswerFile("answer=/a"), "/a");
  EXPECT_EQ(FindAnswerFile("start,file=/answer=x"), std::nullopt);
  EXPECT_EQ(FindAnswerFile("start,answer"), std::nullopt);
  EXPECT_EQ(FindAnswerFile(""), std::nullopt);
}

class AnswerCallerTest : public testing::Test {
 protected:
  // Makes and locks the lease of the caller, as a caller does that waits for the answer.
  ScopedFd MakeLease() const {
    ScopedFd lease(open(lease_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    EXPECT_EQ(flock(lease.get(), LOCK_EX | LOCK_NB), 0);
    return lease;
  }

  test::TempFolder folder_;
  const std::string answer_ = folder_.File(".jprof-awaited-0123456789abcdef");
  const std::string lease_ = folder_.File(".jprof-lease-0123456789abcdef");
};

TEST_F(AnswerCallerTest, IsGoneOnceItReleasesItsLease) {
  ScopedFd lease = MakeLease();
  const AnswerCaller caller = AnswerCaller::Of(answer_);
  EXPECT_FALSE(caller.IsGone());
  EXPECT_FALSE(std::filesystem::exists(lease_));
  lease.Reset();
  EXPECT_TRUE(caller.IsGone());
}

TEST_F(AnswerCallerTest, IsGoneIfItGaveUpOrWasKilled) {
  EXPECT_TRUE(AnswerCaller::Of(answer_).IsGone());  // the caller gave up and removed its lease
  MakeLease().Reset();
  EXPECT_TRUE(AnswerCaller::Of(answer_).IsGone());
  EXPECT_FALSE(std::filesystem::exists(lease_));
}

TEST_F(AnswerCallerTest, IsNeverGoneIfItHasNoLease) {
  EXPECT_FALSE(AnswerCaller::Of(std::nullopt).IsGone());
  EXPECT_FALSE(AnswerCaller::Of(folder_.File(".jprof-answer-0123456789abcdef")).IsGone());
  EXPECT_FALSE(AnswerCaller::Of("answer").IsGone());
}

}  // namespace
}  // namespace jprof
