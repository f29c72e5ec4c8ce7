#include "chunks/file_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/temp_folder.h"

namespace jprof {
namespace {

using ::testing::UnorderedElementsAre;

class FileSeriesTest : public ::testing::Test {
 protected:
  // Adds files "1" to "4" of 100 bytes each, which ended at 1 s to 4 s.
  void AddFour(FileSeries& series) {
    for (int i = 1; i <= 4; ++i) {
      const std::string path = folder_.File(std::to_string(i));
      std::ofstream(path) << "x";
      series.Add(path, 100, i * kNanosPerSecond);
    }
  }

  test::TempFolder folder_;
};

TEST_F(FileSeriesTest, KeepsAllFilesWithoutLimits) {
  FileSeries series({});
  AddFour(series);
  series.Trim(1'000'000, 1000 * kNanosPerSecond);
  EXPECT_EQ(folder_.Names().size(), 4u);
}

TEST_F(FileSeriesTest, RemovesTheOldestUntilTheRestFitsWithTheOpenFile) {
  FileSeries series({.max_bytes = 250});
  AddFour(series);
  series.Trim(50, 0);
  EXPECT_THAT(folder_.Names(), UnorderedElementsAre("3", "4"));
  series.Trim(51, 0);
  EXPECT_THAT(folder_.Names(), UnorderedElementsAre("4"));
  series.Trim(1'000, 0);
  EXPECT_TRUE(folder_.Names().empty());
}

TEST_F(FileSeriesTest, RemovesFilesThatEndedLongerAgoThanTheAge) {
  FileSeries series({.max_age_ns = 2 * kNanosPerSecond});
  AddFour(series);
  series.Trim(0, 4 * kNanosPerSecond);
  EXPECT_THAT(folder_.Names(), UnorderedElementsAre("2", "3", "4"));
}

TEST_F(FileSeriesTest, KeepsAnotherFileOfTheSameName) {
  FileSeries series({.max_bytes = 100});
  AddFour(series);
  std::filesystem::rename(folder_.File("1"), folder_.File("kept"));
  std::ofstream(folder_.File("1")) << "not a recording";
  series.Trim(0, 0);
  EXPECT_THAT(folder_.Names(), UnorderedElementsAre("1", "4", "kept"));
}

TEST_F(FileSeriesTest, SkipsAFileThatWasRemovedAlready) {
  FileSeries series({.max_bytes = 100});
  AddFour(series);
  unlink(folder_.File("1").c_str());
  series.Trim(0, 0);
  EXPECT_THAT(folder_.Names(), UnorderedElementsAre("4"));
}

}  // namespace
}  // namespace jprof
