// Tests the options of validations: validate=, exact=, share= and agct=.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "options/options.h"

namespace jprof {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

ValidationChoice ChoiceOf(const std::string& options) {
  const auto parsed = ParseOptions("start," + options);
  EXPECT_TRUE(parsed.ok()) << parsed.error().message();
  return parsed.ok() ? parsed.value().validation : ValidationChoice();
}

std::string ErrorOf(const std::string& options) {
  const auto parsed = ParseOptions("start," + options);
  return parsed.ok() ? "" : parsed.error().message();
}

TEST(ValidationChoiceTest, StacksAreComparedInAllMethodsOrInSome) {
  EXPECT_THAT(ChoiceOf("cpu").methods, IsEmpty());
  ASSERT_THAT(ChoiceOf("validate").methods, SizeIs(1));
  EXPECT_EQ(ChoiceOf("validate").methods[0].text, "*.*");
  EXPECT_THAT(ChoiceOf("validate=A.b+C.d").methods, SizeIs(2));
  EXPECT_THAT(ChoiceOf("validate=A.b").exact, IsEmpty());
  EXPECT_TRUE(ChoiceOf("validate,agct").asgct);
}

TEST(ValidationChoiceTest, TimesAreMeasuredInSomeMethods) {
  ASSERT_THAT(ChoiceOf("cpu,exact=A.b+C.*").exact, SizeIs(2));
  EXPECT_EQ(ChoiceOf("cpu,exact=A.b+C.*").exact[1].text, "C.*");
  EXPECT_FALSE(ChoiceOf("cpu,exact=A.b").is_given());
  EXPECT_THAT(ErrorOf("exact"), HasSubstr("exact"));
  EXPECT_THAT(ErrorOf("exact=b"), HasSubstr("'b' is not a method"));
}

TEST(ValidationChoiceTest, AShareOfTheMethodsIsForBoth) {
  EXPECT_EQ(ChoiceOf("validate").share, 1);
  EXPECT_EQ(ChoiceOf("validate,share=10%").share, 0.1);
  EXPECT_EQ(ChoiceOf("exact=A.*,share=10%").share, 0.1);
  EXPECT_EQ(ErrorOf("cpu,share=10%"), "'share=10%' is for comparisons: add validate");
  EXPECT_THAT(ErrorOf("exact=A.*,share=0%"), HasSubstr("out of range"));
}

TEST(ValidationChoiceTest, AsyncGetCallTraceIsForStacks) {
  EXPECT_EQ(ErrorOf("exact=A.*,agct"), "'agct' is for comparisons: add validate");
}

}  // namespace
}  // namespace jprof
