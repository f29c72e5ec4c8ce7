#include "profile/sample_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "jfr/writer/event_settings.h"
#include "jfr/writer/jfr_file.h"
#include "jfr/writer/jfr_writer.h"
#include "profile/chunk_builder.h"
#include "support/temp_folder.h"

namespace jprof::profile {
namespace {

using test::Bytes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kEpoch = 1'700'000'000'000'000'000;
constexpr int64_t kMillis = 1'000'000;

class Collector : public SampleSink {
 public:
  void OnSample(const Sample& sample) override { samples.push_back(sample); }
  std::vector<Sample> samples;
};

class SampleReaderTest : public ::testing::Test {
 protected:
  JfrReadReport Read(LineNumbers lines = LineNumbers::kDrop) {
    profile_ = Profile();
    collector_.samples.clear();
    Result<JfrReadReport> report = ReadSamples(path_, lines, profile_, collector_);
    EXPECT_TRUE(report.ok()) << report.error().message();
    return report.ok() ? report.value() : JfrReadReport();
  }
  // Returns the frames of a sample, outermost first.
  std::vector<std::string> FramesOf(const Sample& sample) const {
    std::vector<std::string> frames;
    for (uint32_t node = sample.stack; node != CallTree::kRoot;
         node = profile_.stacks.parent(node)) {
      const uint32_t frame = profile_.stacks.frame(node);
      const ProfileFrame& row = profile_.frames()[frame];
      std::string text = profile_.FrameText(frame);
      if (row.line != 0) text += ":" + std::to_string(row.line);
      frames.insert(frames.begin(), text + "/" + std::string(RowOf(row.kind).short_name));
    }
    return frames;
  }

  test::TempFolder folder_;
  const std::string path_ = folder_.File("a.jfr");
  Profile profile_;
  Collector collector_;
};

TEST_F(SampleReaderTest, ReadsBackOurOwnRecording) {
  auto writer = std::move(JfrWriter::Open(path_, ChunkClock{kEpoch, 0})).value();
  EventSettings settings;
  settings.Enable(::jprof::JfrType::kExecutionSample);
  settings.Set(::jprof::JfrType::kExecutionSample, "period", "10 ms");
  settings.WriteTo(*writer, 0);
  ConstantPools& pools = writer->pools();
  const uint32_t java = pools.Method({pools.Class({.name = "demo/Caf\xC3\xA9"}), "run", "()V"});
  const uint32_t native = pools.Method({pools.Class({.name = "libc.so.6"}), "write", "()L;"});
  const uint32_t kernel = pools.Method({pools.Class({.name = "kernel"}), "sys_write", "(Lk;)L;"});
  const uint32_t lost = pools.Method({pools.Class({.name = "jprof"}), "[lost: memory]", "()L;"});
  const uint32_t stack = pools.NewStackTraceKey();
  const FrameConstant frames[] = {{kernel, 0, 0, FrameType::kKernel},
                                  {native, 0, 0, FrameType::kNative},
                                  {java, 7, 0, FrameType::kInlined},
                                  {java, 9, 0, FrameType::kJava}};
  pools.SetStackTrace(stack, Truncated::kNo, frames);
  const uint32_t cut = pools.NewStackTraceKey();
  const FrameConstant lost_frame[] = {{lost, 0, 0, FrameType::kNative}};
  pools.SetStackTrace(cut, Truncated::kYes, lost_frame);
  const uint32_t thread = pools.Thread({1, 4711, "os", "main", 1});
  writer->Append(ExecutionSample{5 * kMillis, thread, stack});
  writer->Append(
      WallClockSample{6 * kMillis, thread, cut, ThreadState::kSleeping, 3, 60 * kMillis});
  ASSERT_TRUE(writer->Seal(7 * kMillis).ok());

  EXPECT_THAT(Read(LineNumbers::kKeep).missing, IsEmpty());
  ASSERT_EQ(collector_.samples.size(), 2u);
  const Sample& cpu = collector_.samples[0];
  EXPECT_EQ(profile_.kinds[cpu.kind].name, "cpu");
  EXPECT_EQ(profile_.kinds[cpu.kind].interval_ns, 10 * kMillis);
  EXPECT_EQ(cpu.time_ns, kEpoch + 5 * kMillis);
  EXPECT_EQ(cpu.value, 1u);
  EXPECT_EQ(profile_.ThreadName(cpu.thread), "main");
  EXPECT_EQ(profile_.threads()[cpu.thread].os_id, 4711);
  EXPECT_THAT(FramesOf(cpu),
              ElementsAre("demo.Caf\xC3\xA9.run:9/java", "demo.Caf\xC3\xA9.run:7/inlined",
                          "write/native", "sys_write/kernel"));
  const Sample& wall = collector_.samples[1];
  EXPECT_EQ(profile_.kinds[wall.kind].name, "wall");
  EXPECT_EQ(wall.samples, 3u);
  EXPECT_EQ(wall.value, 3u);
  EXPECT_THAT(FramesOf(wall), ElementsAre("[truncated stack]/marker", "[lost: memory]/marker"));
}

// Writes a recording with settings, a CPU sample at 5 ms and three wall samples at 160 ms.
void WriteBoth(const std::string& path, EventSettings& settings) {
  auto writer = std::move(JfrWriter::Open(path, ChunkClock{kEpoch, 0})).value();
  settings.WriteTo(*writer, 0);
  ConstantPools& pools = writer->pools();
  const uint32_t method = pools.Method({pools.Class({.name = "a/B"}), "run", "()V"});
  const uint32_t stack = pools.NewStackTraceKey();
  const FrameConstant frames[] = {{method, 0, 0, FrameType::kJava}};
  pools.SetStackTrace(stack, Truncated::kNo, frames);
  const uint32_t thread = pools.Thread({1, 4711, "os", "main", 1});
  writer->Append(ExecutionSample{5 * kMillis, thread, stack});
  writer->Append(
      WallClockSample{160 * kMillis, thread, stack, ThreadState::kSleeping, 3, 150 * kMillis});
  ASSERT_TRUE(writer->Seal(160 * kMillis).ok());
}

TEST_F(SampleReaderTest, ReportsSamplesOfTwoIntervals) {
  const auto chunk_with = [this](const char* period) {
    EventSettings settings;
    settings.Set(::jprof::JfrType::kExecutionSample, "period", period);
    WriteBoth(path_, settings);
    std::ostringstream bytes;
    bytes << std::ifstream(path_, std::ios::binary).rdbuf();
    return bytes.str();
  };
  const std::string ten = chunk_with("10 ms"), twenty = chunk_with("20 ms");
  test::WriteFile(path_, ten + ten);
  EXPECT_THAT(Read().missing, IsEmpty());
  test::WriteFile(path_, ten + twenty);
  EXPECT_THAT(Read().missing,
              HasSubstr("samples of cpu every 10 ms and every 20 ms, which are weighed alike"));
}

// An algorithm that is quadratic in the number of fields would take minutes.
TEST_F(SampleReaderTest, ReadsManyTagsOfASampleInLinearTime) {
  constexpr size_t kTags = 200'000;
  test::ChunkBuilder chunk;
  test::AddSampleTypes(chunk);
  test::AddSampleConstants(chunk);
  std::vector<test::BuiltField> fields = {{"stackTrace", 32, test::kInPool},
                                          {"spanId", test::kLongId}};
  for (size_t i = 0; i < kTags; ++i) fields.push_back({"t" + std::to_string(i), test::kStringId});
  chunk.Type(50, "demo.Event", "jdk.jfr.Event", fields);
  chunk.Event(50, [](test::Bytes& out) {
    out.Long(1);
    out.Long(7);
    for (size_t i = 0; i + 1 < kTags; ++i) out.Byte(0);
    out.Utf8("last");
  });
  test::WriteFile(path_, chunk.Build());
  Read();
  ASSERT_EQ(collector_.samples.size(), 1u);
  const std::vector<ProfileLabel>& labels = profile_.label_sets()[collector_.samples[0].labels];
  ASSERT_EQ(labels.size(), 2u);
  EXPECT_EQ(profile_.texts[labels[0].key], "span_id");
  EXPECT_EQ(profile_.texts[labels[1].key], "t199999");
  EXPECT_EQ(profile_.texts[labels[1].value], "last");
}

TEST_F(SampleReaderTest, RequestedKindsComeFirst) {
  EventSettings settings;
  settings.Set(::jprof::JfrType::kExecutionSample, "request", "2");
  settings.Set(::jprof::JfrType::kWallClockSample, "request", "1");
  settings.Set(::jprof::JfrType::kWallClockSample, "filter", "pool-*");
  WriteBoth(path_, settings);
  Read();
  const std::vector<uint32_t> order = profile_.KindsInOrder();
  EXPECT_EQ(profile_.kinds[order.at(0)].name, "wall");
  EXPECT_EQ(profile_.kinds[order.at(1)].name, "cpu");
  EXPECT_EQ(profile_.filter, "pool-*");
}

TEST_F(SampleReaderTest, WithoutRequestsTheDefaultOrderApplies) {
  EventSettings settings;
  for (const char* odd : {"", "x", "10", "-1"}) {
    settings.Set(::jprof::JfrType::kWallClockSample, "request", odd);
    WriteBoth(path_, settings);
    Read();
    EXPECT_EQ(profile_.kinds[profile_.KindsInOrder().at(0)].name, "cpu") << odd;
    EXPECT_EQ(collector_.samples.size(), 2u) << odd;
  }
}

TEST_F(SampleReaderTest, EventsThatRepeatOthersAreNotReadTwice) {
  EventSettings settings;
  settings.Set(::jprof::JfrType::kExecutionSample, "request", "0");
  settings.Set(::jprof::JfrType::kWallClockSample, "request", "1");
  WriteBoth(path_, settings);
  Read();
  ASSERT_EQ(collector_.samples.size(), 1u);
  EXPECT_EQ(profile_.kinds[collector_.samples[0].kind].name, "wall");
}

TEST_F(SampleReaderTest, AWallSampleCoversItsIntervalsBeforeIt) {
  EventSettings settings;
  settings.Set(::jprof::JfrType::kWallClockSample, "period", "50 ms");
  WriteBoth(path_, settings);
  Read();
  EXPECT_EQ(collector_.samples.at(0).covers_ns, 0);
  EXPECT_EQ(collector_.samples.at(1).covers_ns, -150 * kMillis);
  EXPECT_EQ(profile_.start_ns, kEpoch + 5 * kMillis);
  EXPECT_EQ(profile_.end_ns, kEpoch + 160 * kMillis);
}

TEST_F(SampleReaderTest, EqualStacksOfDifferentChunksAreOne) {
  test::ChunkBuilder chunk;
  test::AddSampleTypes(chunk);
  test::AddSampleConstants(chunk);
  test::AddSample(chunk, 2000);
  test::WriteFile(path_, chunk.Build() + chunk.Build());
  Read();
  ASSERT_EQ(collector_.samples.size(), 2u);
  EXPECT_EQ(collector_.samples[0].stack, collector_.samples[1].stack);
  EXPECT_EQ(collector_.samples[0].thread, collector_.samples[1].thread);
  EXPECT_THAT(FramesOf(collector_.samples[0]), ElementsAre("a.B.run/c2", "a.B.work/c2"));
}

TEST_F(SampleReaderTest, PlainIntegersGiveTheSameSamples) {
  for (const bool compressed : {true, false}) {
    test::ChunkBuilder chunk(compressed);
    test::AddSampleTypes(chunk);
    test::AddSampleConstants(chunk);
    test::AddSample(chunk, 2000);
    test::WriteFile(path_, chunk.Build());
    Read();
    ASSERT_EQ(collector_.samples.size(), 1u);
    EXPECT_EQ(collector_.samples[0].time_ns, 1'000'000'000'000 + 1'000'000);
    EXPECT_THAT(FramesOf(collector_.samples[0]), ElementsAre("a.B.run/c2", "a.B.work/c2"));
  }
}

TEST_F(SampleReaderTest, AnEventWithAStackIsAKindOfItsOwn) {
  test::ChunkBuilder chunk;
  test::AddSampleTypes(chunk);
  test::AddSampleConstants(chunk);
  chunk.Type(40, "jdk.FileRead", "jdk.jfr.Event",
             {{"startTime", test::kLongId, test::kPlain, test::kTimestampId, "TICKS"},
              {"duration", test::kLongId, test::kPlain, test::kTimespanId, "TICKS"},
              {"path", test::kStringId},
              {"eventThread", 31, test::kInPool},
              {"stackTrace", 32, test::kInPool}});
  chunk.Event(40, [](Bytes& out) {
    out.Long(2000);
    out.Long(50);  // us
    out.Utf8("/tmp/a");
    out.Long(1);
    out.Long(1);
  });
  test::WriteFile(path_, chunk.Build());
  Read();
  ASSERT_EQ(collector_.samples.size(), 1u);
  const SampleKind& kind = profile_.kinds[collector_.samples[0].kind];
  EXPECT_EQ(kind.name, "FileRead");
  EXPECT_EQ(kind.unit, SampleUnit::kNanos);
  EXPECT_EQ(collector_.samples[0].value, 50'000u);
  EXPECT_EQ(collector_.samples[0].covers_ns, 50'000) << "after its begin";
}

TEST_F(SampleReaderTest, TheClassOfAnAllocationIsItsInnermostFrame) {
  test::ChunkBuilder chunk;
  test::AddSampleTypes(chunk);
  test::AddSampleConstants(chunk);
  chunk.Type(41, "jdk.ObjectAllocationSample", "jdk.jfr.Event",
             {{"startTime", test::kLongId, test::kPlain, test::kTimestampId, "TICKS"},
              {"eventThread", 31, test::kInPool},
              {"stackTrace", 32, test::kInPool},
              {"objectClass", 35, test::kInPool},
              {"weight", test::kLongId}});
  chunk.Constant(36, 9, [](Bytes& out) { out.Utf8("[[Ljava/lang/String;"); });
  chunk.Constant(35, 2, [](Bytes& out) { out.Long(9); });
  chunk.Event(41, [](Bytes& out) {
    for (const uint64_t value : {2000, 1, 1, 2, 4096}) out.Long(value);
  });
  test::WriteFile(path_, chunk.Build());
  Read();
  ASSERT_EQ(collector_.samples.size(), 1u);
  EXPECT_EQ(collector_.samples[0].value, 4096u);
  EXPECT_THAT(FramesOf(collector_.samples[0]),
              ElementsAre("a.B.run/c2", "a.B.work/c2", "java.lang.String[][]/class"));
}

TEST_F(SampleReaderTest, KeepsSamplesWhoseConstantsAreMissing) {
  test::ChunkBuilder chunk;
  test::AddSampleTypes(chunk);
  test::AddSample(chunk, 2000, 77, 88);
  test::AddSample(chunk, 2000, 0, 0);
  test::WriteFile(path_, chunk.Build());
  EXPECT_THAT(Read().missing, HasSubstr("the stacks of 1 samples"));
  ASSERT_EQ(collector_.samples.size(), 2u);
  EXPECT_THAT(FramesOf(collector_.samples[0]), ElementsAre("[no stack]/marker"));
}

TEST_F(SampleReaderTest, AStackOfAMillionFramesIsRead) {
  constexpr uint64_t kFrames = 1'000'000;
  test::ChunkBuilder chunk;
  test::AddSampleTypes(chunk);
  test::AddSampleConstants(chunk);
  chunk.Constant(32, 2, [](Bytes& out) {
    out.Byte(0);
    out.Int(kFrames);
    for (uint64_t i = 0; i < kFrames; ++i) {
      out.Long(1);
      out.Int(1);
      out.Long(1);
    }
  });
  test::AddSample(chunk, 2000, 1, 2);
  test::WriteFile(path_, chunk.Build());
  Read();
  EXPECT_EQ(profile_.stacks.size(), kFrames + 1);
}

// ---- untrusted files: reading must end for any content. Sanitizers check that it stays in bounds.

std::string SmallRecording() {
  test::ChunkBuilder chunk;
  test::AddSampleTypes(chunk);
  test::AddSampleConstants(chunk);
  for (uint64_t i = 0; i < 3; ++i) test::AddSample(chunk, 2000 + i);
  return chunk.Build();
}

TEST_F(SampleReaderTest, ReadsTheWholePartOfACutRecording) {
  const std::string bytes = SmallRecording();
  size_t most = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    test::WriteFile(path_, bytes.substr(0, size));
    Profile profile;
    Collector collector;
    const auto report = ReadSamples(path_, LineNumbers::kKeep, profile, collector);
    EXPECT_GE(collector.samples.size(), most) << size;
    most = std::max(most, collector.samples.size());
    const std::string words = report.ok() ? report.value().missing : report.error().message();
    EXPECT_FALSE(words.empty()) << size;
    EXPECT_EQ(words.find('\n'), std::string::npos);
  }
  EXPECT_EQ(most, 3u);
}

TEST_F(SampleReaderTest, SurvivesEveryFlippedByte) {
  const std::string bytes = SmallRecording();
  for (size_t at = 4; at < bytes.size(); ++at) {
    for (const int mask : {0x01, 0x40, 0x80, 0xFF}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ mask);
      test::WriteFile(path_, damaged);
      Profile profile;
      Collector collector;
      const auto report = ReadSamples(path_, LineNumbers::kKeep, profile, collector);
      EXPECT_LE(collector.samples.size(), 3u) << at << " ^ " << mask;
      static_cast<void>(report.ok());
    }
  }
}

}  // namespace
}  // namespace jprof::profile
