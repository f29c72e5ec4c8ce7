// Checks that the readers keep their promises (recording_check.h). The recordings are those for
// which recording_fuzz has once found a broken promise, and a few hundred with which recording_fuzz
// starts.
#include "profile/hostile_recording.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "formats/recording_check.h"

namespace jprof {
namespace {

std::string Check(const std::vector<uint8_t>& choices) {
  return test::CheckRecording(test::HostileRecording(choices));
}

TEST(HostileRecordingTest, ASoundRecordingKeepsAllPromises) { EXPECT_EQ(Check({}), ""); }

TEST(HostileRecordingTest, EveryRecordingThatWasFoundKeepsAllPromises) {
  const std::vector<std::vector<uint8_t>> found = {
      {0x2C, 0x2D, 0xF3},  // threads and stacks of one type: a thread beyond those of the page
  };
  for (const std::vector<uint8_t>& choices : found) EXPECT_EQ(Check(choices), "");
}

TEST(HostileRecordingTest, EveryRecordingMadeAtRandomKeepsAllPromises) {
  constexpr int kRecordings = 300;
  for (int i = 0; i < kRecordings; ++i) {
    const std::vector<uint8_t> choices = {static_cast<uint8_t>(i), static_cast<uint8_t>(i >> 8)};
    EXPECT_EQ(Check(choices), "") << i;
  }
}

}  // namespace
}  // namespace jprof
