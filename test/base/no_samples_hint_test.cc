#include "base/no_samples_hint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jprof {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr Nanos kTenMillis = 10'000'000;

TEST(NoSamplesTest, SuggestsAnotherEventOrMoreTimeWithoutAFilter) {
  EXPECT_THAT(NoSamplesHint("cpu", kTenMillis, "", std::nullopt),
              AllOf(HasSubstr("no samples of cpu: no thread used 10 ms of CPU time"),
                    HasSubstr("wall"), HasSubstr("longer"), Not(HasSubstr("filter"))));
  EXPECT_THAT(NoSamplesHint("wall", 5 * kTenMillis, "", std::nullopt),
              AllOf(HasSubstr("no thread was there for 50 ms"), HasSubstr("longer")));
}

TEST(NoSamplesTest, NamesTheFilterAndExplainsItsForm) {
  EXPECT_THAT(NoSamplesHint("wall", kTenMillis, "pool-*", std::nullopt),
              AllOf(HasSubstr("no thread that the filter pool-* selects"), HasSubstr("jstack")));
}

TEST(NoSamplesTest, OtherEventsNameNoInterval) {
  EXPECT_EQ(NoSamplesHint("alloc", 524288, "", std::nullopt),
            "no samples of alloc: no thread had any; record for longer");
}

TEST(NoSamplesTest, SuggestsAThresholdForMethodCalls) {
  EXPECT_THAT(NoSamplesHint("method", 0, "", {}), HasSubstr("trace=METHOD:TIME"));
  EXPECT_THAT(NoSamplesHint("live", 0, "", {}), HasSubstr("survived a garbage collection"));
}

TEST(NoSamplesTest, NamesWindowsAndWhetherAnyWasOpen) {
  EXPECT_EQ(NoSamplesHint("cpu", kTenMillis, "pool-*", 0),
            "no samples of cpu: no window was open, as nothing that begins one was called");
  EXPECT_THAT(NoSamplesHint("cpu", kTenMillis, "", 3),
              HasSubstr("no samples of cpu: in the windows no thread used 10 ms of CPU time; "));
}

TEST(NoSamplesTest, NamesTheEndOfTheJvmIfNoChunkWasFinished) {
  EXPECT_THAT(NoChunkHint("cpu"), AllOf(HasSubstr("no samples of cpu: the JVM was killed"),
                                        HasSubstr("chunktime"), Not(HasSubstr("no thread"))));
}

TEST(NoSamplesTest, SaysAnIntervalIfTheIntervalIsUnknown) {
  EXPECT_THAT(NoSamplesHint("cpu", 0, "", std::nullopt), HasSubstr("an interval of CPU time"));
}

}  // namespace
}  // namespace jprof
