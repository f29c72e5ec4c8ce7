// Tests recordings in the form in which other profilers write them: the weights and times of
// samples, and types of samples that estimate the same allocations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "profile/chunk_builder.h"
#include "profile/sample_reader.h"
#include "support/temp_folder.h"

namespace jprof::profile {
namespace {

using test::Bytes;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kTickNs = 1000;  // ChunkBuilder has a million ticks a second

const std::vector<test::BuiltField> kCommon = {
    {"startTime", test::kLongId, test::kPlain, test::kTimestampId, "TICKS"},
    {"eventThread", 31, test::kInPool},
    {"stackTrace", 32, test::kInPool}};

std::vector<test::BuiltField> WithCommon(const std::vector<test::BuiltField>& more) {
  std::vector<test::BuiltField> fields = kCommon;
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

const test::BuiltField kDuration = {"duration", test::kLongId, test::kPlain, test::kTimespanId,
                                    "TICKS"};

class ForeignSamplesTest : public ::testing::Test, private SampleSink {
 protected:
  // Returns a chunk with the types and constants of samples.
  static test::ChunkBuilder NewChunk() {
    test::ChunkBuilder chunk;
    test::AddSampleTypes(chunk);
    test::AddSampleConstants(chunk);
    return chunk;
  }

  // Adds an event of the main thread, with `values` after the common fields.
  static void AddEvent(test::ChunkBuilder& chunk, uint64_t type, uint64_t ticks,
                       const std::vector<uint64_t>& values) {
    chunk.Event(type, [&](Bytes& out) {
      for (const uint64_t value : {ticks, uint64_t{1}, uint64_t{1}}) out.Long(value);
      for (const uint64_t value : values) out.Long(value);
    });
  }

  // Adds a jdk.ActiveSetting event with a stack, as JDK 11 to 21 write it.
  static void AddSetting(test::ChunkBuilder& chunk, uint64_t of_type, const std::string& name,
                         const std::string& value) {
    chunk.Event(49, [&](Bytes& out) {
      for (const uint64_t common : {1000, 1, 1}) out.Long(common);
      out.Long(of_type);
      out.Utf8(name);
      out.Utf8(value);
    });
  }
  static void DeclareSettings(test::ChunkBuilder& chunk) {
    chunk.Type(
        49, "jdk.ActiveSetting", "jdk.jfr.Event",
        WithCommon({{"id", test::kLongId}, {"name", test::kStringId}, {"value", test::kStringId}}));
  }

  void Read(const std::string& chunks) {
    test::WriteFile(path_, chunks);
    profile_ = Profile();
    samples_.clear();
    const auto report = ReadSamples(path_, LineNumbers::kDrop, profile_, *this);
    ASSERT_TRUE(report.ok()) << report.error().message();
  }

  const SampleKind& Kind(const std::string& name) const {
    static const SampleKind kNoKind;
    for (const SampleKind& kind : profile_.kinds) {
      if (kind.name == name && kind.samples != 0) return kind;
    }
    ADD_FAILURE() << "there is no kind " << name;
    return kNoKind;
  }

  test::TempFolder folder_;
  const std::string path_ = folder_.File("a.jfr");
  Profile profile_;
  std::vector<Sample> samples_;

 private:
  void OnSample(const Sample& sample) override { samples_.push_back(sample); }
};

TEST_F(ForeignSamplesTest, SettingsThatHaveStacksAreSettings) {
  test::ChunkBuilder chunk = NewChunk();
  DeclareSettings(chunk);
  AddSetting(chunk, 30, "period", "20 ms");
  test::AddSample(chunk, 2000);
  Read(chunk.Build());
  EXPECT_EQ(Kind("cpu").interval_ns, 20'000'000);
  EXPECT_EQ(samples_.size(), 1u);
}

TEST_F(ForeignSamplesTest, AKindWithZeroDurationsIsCounted) {
  std::string chunks;
  for (int i = 0; i < 2; ++i) {
    test::ChunkBuilder chunk = NewChunk();
    chunk.Type(41, "jdk.JavaExceptionThrow", "jdk.jfr.Event", WithCommon({kDuration}));
    for (uint64_t at = 0; at < 3; ++at) AddEvent(chunk, 41, 2000 + at, {0});
    chunks += chunk.Build();
  }
  Read(chunks);
  EXPECT_EQ(Kind("JavaExceptionThrow").unit, SampleUnit::kSamples);
  EXPECT_EQ(Kind("JavaExceptionThrow").value, 6u);
  EXPECT_EQ(samples_.size(), 6u);
  EXPECT_EQ(profile_.kinds.size(), 1u);
}

TEST_F(ForeignSamplesTest, AKindWithADurationKeepsAllItsEvents) {
  test::ChunkBuilder chunk = NewChunk();
  chunk.Type(41, "jdk.FileRead", "jdk.jfr.Event", WithCommon({kDuration}));
  for (const uint64_t duration : {0, 0, 7, 0}) AddEvent(chunk, 41, 2000, {duration});
  Read(chunk.Build());
  EXPECT_EQ(Kind("FileRead").unit, SampleUnit::kNanos);
  EXPECT_EQ(Kind("FileRead").value, static_cast<uint64_t>(7 * kTickNs));
  EXPECT_EQ(Kind("FileRead").samples, 4u);
}

// Flight Recorder can record two types of events of which each estimates all allocations.
class TwoEstimatesTest : public ForeignSamplesTest {
 protected:
  static std::string Chunk(int samples, int buffers) {
    test::ChunkBuilder chunk = NewChunk();
    chunk.Type(41, "jdk.ObjectAllocationSample", "jdk.jfr.Event",
               WithCommon({{"weight", test::kLongId}}));
    chunk.Type(42, "jdk.ObjectAllocationInNewTLAB", "jdk.jfr.Event",
               WithCommon({{"allocationSize", test::kLongId}, {"tlabSize", test::kLongId}}));
    for (int i = 0; i < samples; ++i) AddEvent(chunk, 41, 2000, {1000});
    for (int i = 0; i < buffers; ++i) AddEvent(chunk, 42, 2000, {16, 200});
    return chunk.Build();
  }
};

TEST_F(TwoEstimatesTest, TakesOneEstimateAndNamesTheOther) {
  Read(Chunk(2, 10) + Chunk(3, 5));
  EXPECT_EQ(Kind("alloc").value, 15u * 200);
  EXPECT_EQ(Kind("alloc").samples, 15u);
  ASSERT_EQ(profile_.notes.size(), 1u);
  EXPECT_THAT(profile_.notes[0], HasSubstr("5 samples of jdk.ObjectAllocationSample are left out"));
}

TEST_F(TwoEstimatesTest, TakesTheOnlyEstimateAlthoughAnotherIsDeclared) {
  Read(Chunk(2, 0) + Chunk(3, 0));
  EXPECT_EQ(Kind("alloc").value, 5000u);
  EXPECT_THAT(profile_.notes, IsEmpty());
}

TEST_F(TwoEstimatesTest, TheFirstChunkWithAllocationsDecides) {
  Read(Chunk(0, 0) + Chunk(2, 0) + Chunk(3, 5));
  EXPECT_EQ(Kind("alloc").value, 5000u);
  ASSERT_EQ(profile_.notes.size(), 1u);
  EXPECT_THAT(profile_.notes[0], HasSubstr("5 samples of jdk.ObjectAllocationInNewTLAB"));
}

// Builds events as ddprof 1.22 declares and writes them.
class DatadogTest : public ForeignSamplesTest {
 protected:
  static test::ChunkBuilder NewChunk() {
    test::ChunkBuilder chunk = ForeignSamplesTest::NewChunk();
    chunk.Type(51, "datadog.ExecutionSample", "jdk.jfr.Event",
               WithCommon({{"weight", test::kLongId}}));
    chunk.Type(52, "datadog.MethodSample", "jdk.jfr.Event",
               WithCommon({{"weight", test::kLongId}}));
    for (const auto& [type, name] : std::map<uint64_t, std::string>{
             {53, "datadog.ObjectSample"}, {54, "datadog.HeapLiveObject"}}) {
      chunk.Type(type, name, "jdk.jfr.Event",
                 WithCommon({{"size", test::kLongId}, {"weight", test::kFloatId}}));
    }
    return chunk;
  }

  static void AddObject(test::ChunkBuilder& chunk, uint64_t type, uint64_t ticks, uint64_t size,
                        float objects) {
    chunk.Event(type, [=](Bytes& out) {
      for (const uint64_t value : {ticks, uint64_t{1}, uint64_t{1}, size}) out.Long(value);
      out.Fixed(std::bit_cast<uint32_t>(objects), 4);
    });
  }
};

TEST_F(DatadogTest, CpuAndWallSamplesHaveTheirRecordedWeight) {
  test::ChunkBuilder chunk = NewChunk();
  AddEvent(chunk, 51, 2000, {1});
  AddEvent(chunk, 51, 2000, {4});
  AddEvent(chunk, 52, 2000, {3});
  Read(chunk.Build());
  EXPECT_EQ(Kind("cpu").samples, 5u);
  EXPECT_EQ(Kind("wall").samples, 3u);
}

TEST_F(DatadogTest, AllocationsWeighTheirSizeTimesTheirObjects) {
  test::ChunkBuilder chunk = NewChunk();
  AddObject(chunk, 53, 2000, 528, 496.5F);
  AddObject(chunk, 53, 2000, 16, 2.0F);
  Read(chunk.Build());
  EXPECT_EQ(Kind("alloc").unit, SampleUnit::kBytes);
  EXPECT_EQ(Kind("alloc").value, 528u * 993 / 2 + 32);
}

TEST_F(DatadogTest, InvalidWeightsWeighNothing) {
  test::ChunkBuilder chunk = NewChunk();
  for (const float weight : {std::numeric_limits<float>::quiet_NaN(), -1.0F, 0.0F}) {
    AddObject(chunk, 53, 2000, 528, weight);
  }
  AddObject(chunk, 53, 2000, 528, std::numeric_limits<float>::infinity());
  Read(chunk.Build());
  EXPECT_EQ(Kind("alloc").value, uint64_t{1} << 53);
}

// Each chunk contains all objects that are live at its end.
TEST_F(DatadogTest, LiveObjectsAreThoseOfTheLastChunk) {
  test::ChunkBuilder first = NewChunk();
  for (int i = 0; i < 3; ++i) AddObject(first, 54, 2000, 100, 1.0F);
  test::ChunkBuilder second = NewChunk();
  second.start_epoch_ns += 60'000'000'000;
  for (int i = 0; i < 2; ++i) AddObject(second, 54, 1500, 100, 1.0F);
  Read(first.Build() + second.Build());
  EXPECT_EQ(Kind("live").samples, 2u);
  EXPECT_EQ(Kind("live").value, 200u);
}

// async-profiler writes a long sleep as one event. The event has the time of the first sample, and
// in `timeSpan` the time from the first sample to the last.
TEST_F(ForeignSamplesTest, AWallSampleWithATimeSpanCoversIt) {
  test::ChunkBuilder chunk = NewChunk();
  DeclareSettings(chunk);
  chunk.Type(41, "profiler.WallClockSample", "jdk.jfr.Event",
             WithCommon({{"samples", test::kIntId},
                         {"timeSpan", test::kLongId, test::kPlain, test::kTimespanId, "TICKS"}}));
  chunk.Type(40, "jdk.ActiveRecording", "jdk.jfr.Event", WithCommon({}));
  AddSetting(chunk, 40, "event", "wall");
  AddSetting(chunk, 41, "interval", "20000000");
  AddEvent(chunk, 41, 100'000, {5, 80'000});
  Read(chunk.Build());
  ASSERT_EQ(samples_.size(), 1u);
  const auto [from_ns, to_ns] = IntervalOf(samples_[0]);
  const int64_t first_ns = 1'000'000'000'000 + (100'000 - 1000) * kTickNs;
  EXPECT_EQ(from_ns, first_ns - 20'000'000) << "an interval before the first sample";
  EXPECT_EQ(to_ns, first_ns + 80'000 * kTickNs);
}

// async-profiler with event=branch-misses writes jdk.ExecutionSample events whose interval is the
// number of misses between two samples.
TEST_F(ForeignSamplesTest, SamplesOfAHardwareCounterAreNoCpuTime) {
  std::string chunks;
  for (int i = 0; i < 2; ++i) {
    test::ChunkBuilder chunk = NewChunk();
    DeclareSettings(chunk);
    chunk.Type(40, "jdk.ActiveRecording", "jdk.jfr.Event", WithCommon({}));
    AddSetting(chunk, 40, "event", "branch-misses");
    AddSetting(chunk, 30, "interval", "1000");
    test::AddSample(chunk, 2000);
    chunks += chunk.Build();
  }
  Read(chunks);
  EXPECT_EQ(Kind("branch-misses").samples, 2u);
  EXPECT_EQ(Kind("branch-misses").interval_ns, 0);
}

TEST_F(ForeignSamplesTest, ReadsTheTypesOfOraclesJdk9) {
  test::ChunkBuilder chunk = NewChunk();
  chunk.Type(41, "com.oracle.jdk.ObjectAllocationOutsideTLAB", "jdk.jfr.Event",
             WithCommon({{"allocationSize", test::kLongId}}));
  AddEvent(chunk, 41, 2000, {64});
  Read(chunk.Build());
  EXPECT_EQ(Kind("alloc").value, 64u);
}

}  // namespace
}  // namespace jprof::profile
