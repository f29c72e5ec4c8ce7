// Checks the recordings for which recording_fuzz has found a broken promise (recording_check.h), and
// a few hundred of the recordings from which it starts.
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
