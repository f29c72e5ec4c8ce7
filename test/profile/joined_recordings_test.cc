// Tests the properties on which joined recordings must agree, copied chunks, and cut events.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profile/chunk_builder.h"
#include "profile/read_slices.h"
#include "support/temp_folder.h"

namespace jprof::profile {
namespace {

using test::Bytes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class JoinedRecordingsTest : public ::testing::Test, private SampleSink {
 protected:
  // Writes a recording of one CPU sample, and the sampling interval `period` unless it is empty.
  // Returns the path of the recording.
  std::string Recording(const std::string& name, const std::string& period) {
    test::ChunkBuilder chunk;
    test::AddSampleTypes(chunk);
    test::AddSampleConstants(chunk);
    chunk.Type(49, "jdk.ActiveSetting", "jdk.jfr.Event",
               {{"startTime", test::kLongId, test::kPlain, test::kTimestampId, "TICKS"},
                {"id", test::kLongId},
                {"name", test::kStringId},
                {"value", test::kStringId}});
    if (!period.empty()) {
      chunk.Event(49, [&](Bytes& out) {
        out.Long(1000);
        out.Long(30);
        out.Utf8("period");
        out.Utf8(period);
      });
    }
    test::AddSample(chunk, 2000);
    test::WriteFile(folder_.File(name), chunk.Build());
    return folder_.File(name);
  }

  // Returns the reason why recordings with these intervals cannot be read together. Returns "" if
  // they can.
  std::string Join(const std::string& first, const std::string& second) {
    std::vector<RecordingInput> inputs;
    for (const std::string& path : {Recording("a.jfr", first), Recording("b.jfr", second)}) {
      inputs.push_back({ScopedFd(open(path.c_str(), O_RDONLY | O_CLOEXEC)), path});
    }
    Profile part;
    const auto read = ReadSlices(inputs, Slice(), SliceReading(), part, *this);
    return read.ok() ? "" : read.error().message();
  }

  test::TempFolder folder_;

 private:
  void OnSample(const Sample&) override {}
};

TEST_F(JoinedRecordingsTest, AnUnknownIntervalDiffersFromAKnownOne) {
  EXPECT_THAT(Join("10 ms", ""), HasSubstr("b.jfr' at intervals that are not known"));
  EXPECT_THAT(Join("10 ms", "20 ms"), HasSubstr("b.jfr' every 20"));
  EXPECT_EQ(Join("10 ms", "10 ms"), "");
  EXPECT_EQ(Join("", ""), "");
}

// Reads several files of one or more chunks together.
class CopiedChunksTest : public ::testing::Test, private SampleSink {
 protected:
  // Returns a chunk that starts at `second` and has `samples` CPU samples.
  static std::string Chunk(int second, int samples, uint8_t state = 0) {
    test::ChunkBuilder chunk;
    chunk.start_epoch_ns += static_cast<uint64_t>(second) * 1'000'000'000;
    chunk.start_ticks += static_cast<uint64_t>(second) * chunk.ticks_per_second;
    chunk.state = state;
    test::AddSampleTypes(chunk);
    test::AddSampleConstants(chunk);
    for (int i = 0; i < samples; ++i) {
      test::AddSample(chunk, chunk.start_ticks + static_cast<uint64_t>(i));
    }
    return chunk.Build();
  }

  // Writes recordings with these contents to files named a, b, c, and reads them together. Returns
  // the number of samples. Stores the notes in notes_.
  uint64_t Samples(const std::vector<std::string>& contents) {
    std::vector<RecordingInput> inputs;
    std::string name = "a";
    for (const std::string& content : contents) {
      test::WriteFile(folder_.File(name), content);
      inputs.push_back({ScopedFd(open(folder_.File(name).c_str(), O_RDONLY | O_CLOEXEC)), name});
      ++name[0];
    }
    Profile part;
    const auto read = ReadSlices(inputs, Slice(), SliceReading(), part, *this);
    EXPECT_TRUE(read.ok()) << read.error().message();
    notes_ = part.notes;
    uint64_t samples = 0;
    for (const SampleKind& kind : part.kinds) samples += kind.samples;
    return samples;
  }

  std::vector<std::string> notes_;

 private:
  void OnSample(const Sample&) override {}

  test::TempFolder folder_;
};

TEST_F(CopiedChunksTest, ACopyOfAFileCountsOnce) {
  const std::string file = Chunk(0, 3) + Chunk(1, 4);
  EXPECT_EQ(Samples({file, file}), 7u);
  EXPECT_THAT(notes_, ElementsAre("2 of the 2 chunks of 'b' are in 'a' too: each of them counts "
                                  "once"));
}

TEST_F(CopiedChunksTest, AFileThatWasJoinedTwiceCountsOnce) {
  const std::string file = Chunk(0, 3) + Chunk(1, 4);
  EXPECT_EQ(Samples({file + file}), 7u);
  EXPECT_THAT(notes_, ElementsAre("2 of the 4 chunks of 'a' are there twice: each of them counts "
                                  "once"));
}

TEST_F(CopiedChunksTest, FilesThatShareChunksAddUpToAllOfThem) {
  EXPECT_EQ(Samples({Chunk(0, 3) + Chunk(1, 4), Chunk(1, 4) + Chunk(2, 5)}), 12u);
  EXPECT_EQ(notes_.size(), 1u);
  EXPECT_EQ(Samples({Chunk(1, 4), Chunk(0, 3), Chunk(0, 3) + Chunk(1, 4)}), 7u);
}

// A file that is copied while it is being written can end anywhere.
TEST_F(CopiedChunksTest, TheWholeChunkCountsInsteadOfACutCopy) {
  const std::string whole = Chunk(0, 3) + Chunk(1, 40);
  const std::string cut = whole.substr(0, whole.size() - 100);
  EXPECT_EQ(Samples({cut, whole}), 43u);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("1 of the 2 chunks of 'a' are in 'b' too"),
                                  HasSubstr("1 of the 2 chunks of 'b' are in 'a' too")));
  EXPECT_EQ(Samples({whole, cut}), 43u);
}

TEST_F(CopiedChunksTest, ChunksThatOnlyStartAtTheSameTimeAreDifferent) {
  EXPECT_EQ(Samples({Chunk(0, 3), Chunk(0, 4)}), 7u);
  EXPECT_THAT(notes_, IsEmpty());
  std::vector<std::string> many;
  uint64_t samples = 0;
  for (int i = 1; i <= 9; ++i) {
    many.push_back(Chunk(0, i));
    samples += static_cast<uint64_t>(i);
  }
  EXPECT_EQ(Samples(many), samples);
}

// A part with a value must count as at least one sample. With 0 samples, the reader would report
// that nothing is left of the event.
TEST(CutEventTest, TheSmallerPartOfACutEventIsAnEvent) {
  Sample wait;
  wait.time_ns = 1000;
  wait.covers_ns = 100;
  wait.value = 100;
  const Sample begin = PartWithin(wait, {0, 1010});
  const Sample end = PartWithin(wait, {1010, 5000});
  EXPECT_EQ(begin.samples, 1u);
  EXPECT_EQ(end.samples, 1u);
  EXPECT_EQ(begin.value, 10u);
  EXPECT_EQ(end.value, 90u);
  EXPECT_EQ(PartWithin(wait, {2000, 3000}).samples, 0u);
}

}  // namespace
}  // namespace jprof::profile
