#include "base/result.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace jprof {
namespace {

Result<int> Half(int n) {
  if (n % 2 != 0) return Error("odd: " + std::to_string(n));
  return n / 2;
}

TEST(ResultTest, CarriesTheValueOrTheSentence) {
  ASSERT_TRUE(Half(4).ok());
  EXPECT_EQ(Half(4).value(), 2);
  ASSERT_FALSE(Half(3).ok());
  EXPECT_EQ(Half(3).error().message(), "odd: 3");
}

TEST(ResultTest, AnErrnoErrorNamesCallArgumentAndReason) {
  errno = ENOENT;
  EXPECT_EQ(Error::FromErrno("open", "/no/such").message(),
            "cannot open /no/such: No such file or directory");
}

TEST(ResultTest, AnErrorKeepsItsKindInAnotherSentence) {
  const Error starting = Error(ErrorKind::kJvmIsStarting).WithMessage("not yet");
  EXPECT_EQ(starting.kind(), ErrorKind::kJvmIsStarting);
  EXPECT_EQ(starting.message(), "not yet");
  const Error unknown = Error::UnknownOption("leese", "unknown option").WithMessage("no such word");
  EXPECT_EQ(unknown.kind(), ErrorKind::kUnknownOption);
  EXPECT_EQ(unknown.option(), "leese");
  EXPECT_EQ(Error("no").kind(), ErrorKind::kOther);
}

TEST(ResultTest, StatusIsOkUnlessMadeFromAnError) {
  EXPECT_TRUE(Status().ok());
  EXPECT_FALSE(Status(Error("no")).ok());
}

}  // namespace
}  // namespace jprof
