// Simulates full disks with RLIMIT_FSIZE: a write beyond the limit is cut short, and the next write
// fails with EFBIG.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <csignal>
#include <fstream>
#include <string>

#include "jfr/writer/jfr_file.h"
#include "jfr/writer/jfr_writer.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  SizeLimit(const SizeLimit&) = delete;
  SizeLimit& operator=(const SizeLimit&) = delete;

 private:
  rlimit before_;
};

class FullDiskTest : public ::testing::Test {
 protected:
  std::unique_ptr<JfrWriter> Open() {
    auto writer = JfrWriter::Open(path_, ChunkClock{});
    EXPECT_TRUE(writer.ok()) << writer.error().message();
    return std::move(writer).value();
  }
  void AppendSamples(JfrWriter& writer, int64_t first, int64_t count) {
    for (int64_t i = first; i < first + count; ++i) {
      writer.Append(ExecutionSample{.time_ns = i * 1'000'000, .thread_key = 7});
    }
  }

  test::TempFolder folder_;
  const std::string path_ = folder_.File("a.jfr");
};

TEST_F(FullDiskTest, TheFirstEventsAreKeptAndTheLossIsStated) {
  auto writer = Open();
  {
    const SizeLimit limit(300'000);
    AppendSamples(*writer, 0, 100'000);
    EXPECT_FALSE(writer->status().ok());
    EXPECT_GT(writer->DroppedEvents(), 0u);
    ASSERT_TRUE(writer->Seal(0).ok());
  }
  EXPECT_THAT(writer->status().error().message(), HasSubstr("File too large"));

  const std::string bytes = test::ReadFile(path_);
  const test::ParsedChunk chunk = test::ParseRecording(bytes).at(0);
  const auto samples = chunk.EventsNamed("jdk.ExecutionSample");
  EXPECT_GT(samples.size(), 20'000u);
  EXPECT_EQ(samples.size() + writer->DroppedEvents(), 100'000u);
  for (size_t i = 0; i < samples.size(); ++i) {
    ASSERT_EQ(test::FieldsText(chunk, bytes, samples[i]), std::to_string(i * 10'000) + ",#7,#0,#1");
  }
  EXPECT_EQ(chunk.EventsNamed("jdk.DataLoss").size(), 1u);
  EXPECT_LE(bytes.size(), 300'000u);
}

TEST_F(FullDiskTest, RoomForTheConstantsIsTakenFromTheLastEvents) {
  auto writer = Open();
  AppendSamples(*writer, 0, 40'000);
  ConstantPools& pools = writer->pools();
  const uint32_t type = pools.Class({.name = "p/A"});
  for (int i = 0; i < 2'000; ++i) {
    const uint32_t method = pools.Method({type, "method" + std::to_string(i), "()V"});
    const std::array frames = {FrameConstant{.method_key = method}};
    pools.SetStackTrace(pools.NewStackTraceKey(), Truncated::kNo, frames);
  }
  {
    const SizeLimit limit(static_cast<rlim_t>(writer->chunk_bytes()) + 10'000);
    ASSERT_TRUE(writer->Seal(0).ok());
  }
  const test::ParsedChunk chunk = test::ParseRecording(test::ReadFile(path_)).at(0);
  EXPECT_EQ(chunk.pools.at("jdk.types.Method").size(), 2'000u);
  EXPECT_GT(writer->DroppedEvents(), 0u);
  EXPECT_EQ(chunk.EventsNamed("jdk.ExecutionSample").size() + writer->DroppedEvents(), 40'000u);
}

TEST_F(FullDiskTest, EveryLimitLeavesAValidFileOrTheOldOne) {
  auto size_of_empty = Open();
  const auto start = static_cast<rlim_t>(size_of_empty->chunk_bytes());
  size_of_empty.reset();
  for (rlim_t limit_bytes = start; limit_bytes < start + 1'500; limit_bytes += 7) {
    std::ofstream(path_) << "old";
    auto writer = Open();
    Status sealed;
    {
      const SizeLimit limit(limit_bytes);
      AppendSamples(*writer, 0, 50);
      sealed = writer->Seal(0);
    }
    if (sealed.ok()) {
      const test::ParsedChunk chunk = test::ParseRecording(test::ReadFile(path_)).at(0);
      EXPECT_EQ(chunk.EventsNamed("jdk.ExecutionSample").size() + writer->DroppedEvents(), 50u);
    } else {
      EXPECT_EQ(test::ReadFile(path_), "old");
      EXPECT_EQ(writer->DroppedEvents(), 50u);
    }
    ASSERT_THAT(folder_.Names(), ElementsAre("a.jfr"));
  }
}

TEST_F(FullDiskTest, OpenFailsOnAFullDiskAndLeavesNothing) {
  const SizeLimit limit(1'000);
  const auto writer = JfrWriter::Open(path_, ChunkClock{});
  ASSERT_FALSE(writer.ok());
  EXPECT_THAT(writer.error().message(), HasSubstr("File too large"));
  EXPECT_THAT(folder_.Names(), IsEmpty());
}

TEST_F(FullDiskTest, AFailedAppendLeavesTheOtherChunksWhole) {
  auto writer = Open();
  AppendSamples(*writer, 0, 1'000);
  ASSERT_TRUE(writer->Seal(0).ok());
  const std::string one_chunk = test::ReadFile(path_);
  ASSERT_TRUE(writer->StartChunk(0).ok());
  AppendSamples(*writer, 0, 1'000);
  {
    const SizeLimit limit(one_chunk.size() + 5'000);
    ASSERT_FALSE(writer->Seal(0).ok());
  }
  EXPECT_EQ(writer->DroppedEvents(), 1'000u);
  EXPECT_EQ(test::ReadFile(path_), one_chunk);

  ASSERT_TRUE(writer->StartChunk(0).ok());
  AppendSamples(*writer, 0, 10);
  ASSERT_TRUE(writer->Seal(0).ok());
  const std::string bytes = test::ReadFile(path_);
  const auto chunks = test::ParseRecording(bytes);
  ASSERT_EQ(chunks.size(), 2u);
  EXPECT_TRUE(chunks[0].EventsNamed("jdk.DataLoss").empty());
  const auto losses = chunks[1].EventsNamed("jdk.DataLoss");
  ASSERT_EQ(losses.size(), 1u);  // the events of the chunk that could not be sealed
  const std::string loss = test::FieldsText(chunks[1], bytes, losses[0]);
  EXPECT_THAT(loss, ::testing::MatchesRegex("[0-9]+,8[0-9]{3},8[0-9]{3}"));
}

}  // namespace
}  // namespace jprof
