#include "agent/answer_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <filesystem>

#include "support/temp_folder.h"

namespace jprof {
namespace {

class AnswerCallerTest : public testing::Test {
 protected:
  // Makes and locks the lease of the answer, as a caller does that waits for it.
  ScopedFd Wait() const {
    ScopedFd lease(open(lease_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    EXPECT_EQ(flock(lease.get(), LOCK_EX | LOCK_NB), 0);
    return lease;
  }

  test::TempFolder folder_;
  const std::string answer_ = folder_.File(".jprof-awaited-0123456789abcdef");
  const std::string lease_ = folder_.File(".jprof-lease-0123456789abcdef");
};

TEST_F(AnswerCallerTest, IsGoneOnceItReleasesItsLease) {
  ScopedFd lease = Wait();
  const AnswerCaller caller = AnswerCaller::Of(answer_);
  EXPECT_FALSE(caller.IsGone());
  EXPECT_FALSE(std::filesystem::exists(lease_));
  lease.Reset();
  EXPECT_TRUE(caller.IsGone());
}

TEST_F(AnswerCallerTest, IsGoneIfItGaveUpOrWasKilled) {
  EXPECT_TRUE(AnswerCaller::Of(answer_).IsGone());  // the caller gave up and removed its lease
  Wait().Reset();
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
