#include "base/no_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jprof {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr Nanos kTenMillis = 10'000'000;

TEST(NoSamplesTest, WithoutAFilterThereIsAnotherEventOrMoreTime) {
  EXPECT_THAT(NoSamplesText("cpu", kTenMillis, ""),
              AllOf(HasSubstr("no samples of cpu: no thread used 10 ms of CPU time"),
                    HasSubstr("wall"), HasSubstr("longer"), Not(HasSubstr("filter"))));
  EXPECT_THAT(NoSamplesText("wall", 5 * kTenMillis, ""),
              AllOf(HasSubstr("no thread was there for 50 ms"), HasSubstr("longer")));
}

TEST(NoSamplesTest, AFilterIsNamedWithWhatItTakes) {
  EXPECT_THAT(NoSamplesText("wall", kTenMillis, "pool-*"),
              AllOf(HasSubstr("no thread that the filter pool-* selects"), HasSubstr("jstack")));
}

TEST(NoSamplesTest, AnUnknownIntervalIsCalledSo) {
  EXPECT_THAT(NoSamplesText("cpu", 0, ""), HasSubstr("an interval of CPU time"));
}

}  // namespace
}  // namespace jprof
