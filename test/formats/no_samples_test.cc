#include "formats/no_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jprof {
namespace {

using testing::HasSubstr;

class NoSamplesTest : public testing::Test {
 protected:
  NoSamplesTest() { kind().request = 1; }

  profile::SampleKind& kind() { return profile_.kinds[number_]; }

  profile::Profile profile_;
  const uint32_t number_ = *profile_.KindNumber("cpu", profile::SampleUnit::kSamples, 0);
};

TEST_F(NoSamplesTest, ARecordingOfTheAgentWithoutLibrariesHasNoFinishedChunk) {
  EXPECT_THAT(ExplainNoSamples(profile_, kind()), HasSubstr("before a chunk"));
}

TEST_F(NoSamplesTest, AFinishedChunkNamesLibraries) {
  profile_.AddLibrary({});
  EXPECT_THAT(ExplainNoSamples(profile_, kind()), HasSubstr("no thread used"));
}

TEST_F(NoSamplesTest, SamplesOfAnotherKindProveAFinishedChunk) {
  const auto wall = profile_.KindNumber("wall", profile::SampleUnit::kSamples, 0);
  profile_.kinds[*wall].samples = 1;
  EXPECT_THAT(ExplainNoSamples(profile_, kind()), HasSubstr("no thread used"));
}

TEST_F(NoSamplesTest, AForeignRecordingIsComplete) {
  kind().request = 0;
  EXPECT_THAT(ExplainNoSamples(profile_, kind()), HasSubstr("no thread used"));
}

}  // namespace
}  // namespace jprof
