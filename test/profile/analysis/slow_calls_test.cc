#include "profile/analysis/slow_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "formats/small_recording.h"
#include "profile/sample_reader.h"
#include "support/temp_folder.h"

namespace jprof::profile {
namespace {

using test::FramesOf;
using test::kMillis;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr int64_t kEpoch = 1'700'000'000'000'000'000;
const test::MadeThread kMain = {1, "main"};
const test::MadeThread kOther = {2, "other"};

class Sink : public SampleSink {
 public:
  explicit Sink(size_t most, size_t max_parts = SlowCalls::kMaxParts) : calls(most, max_parts) {}

  void OnChunk(const JfrSchema& declared) override { calls.OnChunk(declared); }
  bool WantsEvents(const RecordedType& type) override { return SlowCalls::IsOfCall(type); }
  void OnSample(const Sample& sample) override { calls.OnSample(sample); }
  void OnEvent(const ProfileEvent& event) override { calls.OnEvent(event); }

  SlowCalls calls;
};

class SlowCallsTest : public ::testing::Test {
 protected:
  std::vector<SlowCall> Read(size_t most = 10) {
    EXPECT_TRUE(recording_.Seal());
    Sink sink(most);
    EXPECT_TRUE(ReadSamples(path_, LineNumbers::kDrop, profile_, sink).ok());
    std::vector<SlowCall> calls = sink.calls.Take(profile_);
    count_ = sink.calls.count();
    return calls;
  }

  // Returns the sums of the values of a call's samples, by kind and innermost frame.
  std::map<std::string, uint64_t> SumsOf(const SlowCall& call) const {
    std::map<std::string, uint64_t> sums;
    for (const Sample& sample : call.samples) {
      const uint32_t frame = profile_.stacks.frame(sample.stack);
      sums[profile_.kinds[sample.kind].name + " " + profile_.FrameText(frame)] += sample.value;
    }
    return sums;
  }

  test::TempFolder folder_;
  const std::string path_ = folder_.File("in.jfr");
  test::SmallRecording recording_{path_};
  Profile profile_;
  uint64_t count_ = 0;
};

TEST_F(SlowCallsTest, ACallHasTheSamplesOfItsThreadDuringIt) {
  recording_.Begin();
  const auto work = FramesOf({"app.Work.run"}, FrameType::kJitCompiled);
  recording_.Cpu(100, kMain, work);  // samples until 1 s
  recording_.Trace({200 * kMillis, 300 * kMillis, kMain, "app.Shop.order"});
  recording_.Cpu(50, kOther, work);
  const auto calls = Read();
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_EQ(calls[0].method, "app.Shop.order");
  EXPECT_EQ(calls[0].time_ns, kEpoch + 200 * kMillis);
  EXPECT_EQ(calls[0].duration_ns, 300 * kMillis);
  EXPECT_EQ(profile_.ThreadName(calls[0].thread), "main");
  EXPECT_THAT(SumsOf(calls[0]), ElementsAre(Pair("cpu app.Work.run", 30)));
}

TEST_F(SlowCallsTest, ALongSampleCountsForItsPartInTheCall) {
  recording_.Begin();
  recording_.Wait(2000 * kMillis);
  const auto sleep = FramesOf({"app.Disk.await"}, FrameType::kNative);
  recording_.Wall(100, kMain, ThreadState::kSleeping, sleep);  // covers the two seconds before
  recording_.Trace({500 * kMillis, 400 * kMillis, kMain, "app.Shop.order"});
  const auto calls = Read();
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_THAT(SumsOf(calls[0]), ElementsAre(Pair("wall app.Disk.await", 20)));
}

TEST_F(SlowCallsTest, ACallHasTheAllocationsOfItsThreadWithErrors) {
  recording_.Begin();
  recording_.Trace({200 * kMillis, 300 * kMillis, kMain, "app.Shop.order"});
  AllocatedObject object;
  object.weight_bytes = 1000;
  object.error_bytes = 30;
  for (const int64_t millis : {199, 200, 350, 499, 500}) {
    object.time_ns = millis * kMillis;
    object.thread_key = recording_.Thread(kMain);
    recording_.Add(object);
    object.thread_key = recording_.Thread(kOther);
    recording_.Add(object);
  }
  const auto calls = Read();
  ASSERT_THAT(calls, SizeIs(1));
  ASSERT_THAT(calls[0].samples, SizeIs(3));
  for (const Sample& sample : calls[0].samples) {
    EXPECT_EQ(profile_.kinds[sample.kind].name, "alloc");
    EXPECT_EQ(sample.value, 1000U);
    EXPECT_EQ(sample.variance, 900.0);
  }
}

TEST_F(SlowCallsTest, ANestedCallIsASampleOfTheOuterCall) {
  recording_.Begin();
  const auto work = FramesOf({"app.Work.run"}, FrameType::kJitCompiled);
  recording_.Cpu(100, kMain, work);
  recording_.Trace({200 * kMillis, 100 * kMillis, kMain, "app.Db.query"});
  recording_.Trace({100 * kMillis, 400 * kMillis, kMain, "app.Shop.order"});
  const auto calls = Read();
  ASSERT_THAT(calls, SizeIs(2));
  EXPECT_EQ(calls[0].method, "app.Shop.order");
  EXPECT_THAT(SumsOf(calls[0]), UnorderedElementsAre(Pair("cpu app.Work.run", 40),
                                                     Pair("method app.Db.query", 100 * kMillis)));
  EXPECT_THAT(SumsOf(calls[1]), ElementsAre(Pair("cpu app.Work.run", 10)));
}

TEST_F(SlowCallsTest, TheTimeOfNestedCallsCountsOnce) {
  recording_.Begin();
  recording_.Trace({130 * kMillis, 40 * kMillis, kMain, "app.Db.send"});
  recording_.Trace({120 * kMillis, 60 * kMillis, kMain, "app.Db.query"});
  recording_.Trace({180 * kMillis, 10 * kMillis, kMain, "app.Db.close"});
  recording_.Trace({100 * kMillis, 100 * kMillis, kMain, "app.Shop.order"});
  const auto calls = Read();
  ASSERT_THAT(calls, SizeIs(4));
  EXPECT_THAT(SumsOf(calls[0]), UnorderedElementsAre(Pair("method app.Db.query", 60 * kMillis),
                                                     Pair("method app.Db.close", 10 * kMillis)));
  EXPECT_THAT(SumsOf(calls[1]), ElementsAre(Pair("method app.Db.send", 40 * kMillis)));
}

TEST_F(SlowCallsTest, BoundsSamplesInNestedCallsAndReportsIt) {
  recording_.Begin();
  recording_.Cpu(100, kMain, FramesOf({"app.Work.run"}, FrameType::kJitCompiled));  // until 1 s
  for (int depth = 0; depth < 10; ++depth) {
    const int64_t longer_ns = depth * 1000;
    recording_.Trace(
        {102 * kMillis - longer_ns, 200 * kMillis + 2 * longer_ns, kMain, "app.Deep.call"});
  }
  ASSERT_TRUE(recording_.Seal());
  // The number of all parts. Each of 10 calls has 20 samples as parts, and each of the 9 inner
  // calls is a part of the call directly around it.
  constexpr int kAll = 209;
  for (const auto& [max_parts, parts] : {std::pair(kAll, 200), std::pair(50, 50)}) {
    Profile profile;
    Sink sink(10, static_cast<size_t>(max_parts));
    ASSERT_TRUE(ReadSamples(path_, LineNumbers::kDrop, profile, sink).ok());
    uint64_t samples = 0;
    for (const SlowCall& call : sink.calls.Take(profile)) {
      for (const Sample& sample : call.samples) samples += profile.kinds[sample.kind].name == "cpu";
    }
    EXPECT_EQ(samples, static_cast<uint64_t>(parts));
    EXPECT_EQ(sink.calls.has_all_samples(), max_parts == kAll);
  }
}

TEST_F(SlowCallsTest, KeepsTheLongestCallsAndCountsAll) {
  recording_.Begin();
  for (int i = 0; i < 50; ++i) {
    const int64_t millis = 1 + i * 37 % 50;
    recording_.Trace({(1000 - millis) * kMillis, millis * kMillis, kMain,
                      "app.Shop.order" + std::to_string(millis), millis == 49});
  }
  const auto calls = Read(3);
  EXPECT_EQ(count_, 50U);
  ASSERT_THAT(calls, SizeIs(3));
  EXPECT_EQ(calls[0].method, "app.Shop.order50");
  EXPECT_EQ(calls[1].method, "app.Shop.order49");
  EXPECT_EQ(calls[2].method, "app.Shop.order48");
  EXPECT_FALSE(calls[0].has_thrown);
  EXPECT_TRUE(calls[1].has_thrown);
  EXPECT_FALSE(calls[2].has_thrown);
}

TEST_F(SlowCallsTest, ARecordingWithoutCallsHasNone) {
  recording_.Begin();
  recording_.Cpu(10, kMain, FramesOf({"app.Work.run"}, FrameType::kJitCompiled));
  EXPECT_THAT(Read(), IsEmpty());
  EXPECT_EQ(count_, 0U);
}

}  // namespace
}  // namespace jprof::profile
