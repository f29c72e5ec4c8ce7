// Tests the growth of live objects and the error of this growth, in simulated programs whose growth
// is known.
#include "profile/analysis/live_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "profile/heap_recording.h"
#include "profile/sample_reader.h"
#include "support/sanitizer.h"
#include "support/temp_folder.h"

namespace jprof::profile {
namespace {

using test::HeapObject;
using test::HeapRecording;
using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr int64_t kMinute = 60'000'000;  // microseconds

// Reads a recording whose objects all belong to one allocation site.
class History : public SampleSink {
 public:
  void OnSample(const Sample&) override {}
  bool WantsEvents(const RecordedType& type) override {
    return LiveHistory::IsOfObjects(type) || LiveHistory::IsOfSnapshots(type);
  }
  void OnEvent(const ProfileEvent& event) override {
    const bool is_object = LiveHistory::IsOfObjects(event.event.type());
    is_object ? history.OnObject(event, 0) : history.OnSnapshot(event);
  }

  LiveGrowth Growth() const { return history.ComputeGrowth({0}, 1)[0]; }

  LiveHistory history;
};

History Read(const std::string& bytes) {
  const test::TempFolder folder;
  test::WriteFile(folder.File("a.jfr"), bytes);
  History history;
  Profile profile;
  const auto read = ReadSamples(folder.File("a.jfr"), LineNumbers::kDrop, profile, history);
  EXPECT_TRUE(read.ok()) << read.error().message();
  return history;
}

// Simulates a program that keeps kPerMinute more objects of kSize bytes each minute. A profiler
// samples each object with probability p. From snapshot 5 on, it samples half as many objects, with
// twice the weight.
class Leak {
 public:
  static constexpr int kPerMinute = 10'000;
  static constexpr int64_t kSize = 8192;

  explicit Leak(uint32_t seed) : random_(seed) {}

  History Recorded(int snapshots) {
    HeapRecording recording;
    std::vector<HeapObject> kept;
    double p = -std::expm1(-kSize / 524'288.0);
    for (int i = 1; i <= snapshots; ++i) {
      for (HeapObject& object : kept) ++object.age;
      const int sampled = std::binomial_distribution<int>(kPerMinute, p)(random_);
      for (int object = 0; object < sampled; ++object) {
        kept.push_back({.size = kSize, .allocated_us = i * kMinute - sampled + object});
      }
      if (i == 5) {
        std::erase_if(kept, [this](const HeapObject&) { return random_() % 2 == 0; });
        p /= 2;
      }
      for (HeapObject& object : kept) {
        object.weight = std::llround(kSize / p);
        object.error = std::llround(kSize * std::sqrt(1 - p) / p);
      }
      recording.Snapshot({.time_us = i * kMinute, .old_collections = i, .objects = kept});
    }
    return Read(recording.Build());
  }

 private:
  std::mt19937 random_;
};

// The standard error includes a part for the scatter of the snapshots about the line. This part
// must only increase it. So the standard error is at least as large as the true errors.
TEST(LiveHistoryTest, TheErrorOfGrowthIsLargeEnoughForObjectsThatSnapshotsShare) {
  constexpr int kRuns = test::kUnderSanitizer ? 30 : 300;
  constexpr double kTruth = static_cast<double>(Leak::kPerMinute) * Leak::kSize;
  double sum = 0, squares = 0;
  int within = 0;
  for (uint32_t run = 0; run < kRuns; ++run) {
    const LiveGrowth growth = Leak(run + 1).Recorded(8).Growth();
    const double error = (growth.per_minute - kTruth) / std::sqrt(growth.variance);
    sum += error;
    squares += error * error;
    within += std::fabs(error) < 1.96 ? 1 : 0;
    EXPECT_TRUE(growth.IsGrowing()) << run;
  }
  const double spread = 4 * std::sqrt(2.0 / kRuns);
  EXPECT_NEAR(sum / kRuns, 0, 4 / std::sqrt(kRuns));
  EXPECT_LT(squares / kRuns, 1 + spread);
  EXPECT_GT(squares / kRuns, 0.5 - spread);
  EXPECT_GT(within, kRuns * (0.95 - 4 * std::sqrt(0.95 * 0.05 / kRuns)));
}

TEST(LiveHistoryTest, JudgesSnapshotsSeparatedByOldCollections) {
  HeapRecording recording;
  const int64_t old_collections[] = {0, 1, 1, 1, 3, 2, 3, 4};
  for (int64_t i = 0; i < 8; ++i) {
    recording.Snapshot({.time_us = i * kMinute,
                        .old_collections = old_collections[i],
                        .objects = {{.weight = 1}}});
  }
  const History read = Read(recording.Build());
  EXPECT_EQ(read.history.snapshots(), 8u);
  const auto minutes = [](int64_t count) { return 1'000'000'000'000 + count * kMinute * 1000; };
  EXPECT_THAT(read.history.JudgedTimes(), ElementsAre(minutes(1), minutes(4), minutes(7)));
}

TEST(LiveHistoryTest, JudgesAThousandSnapshotsByTwoHundred) {
  HeapRecording recording;
  for (int64_t i = 1; i <= 1000; ++i) {
    recording.Snapshot(
        {.time_us = i * kMinute, .old_collections = i, .objects = {{.weight = i * 1000}}});
  }
  const History read = Read(recording.Build());
  const std::vector<int64_t> times = read.history.JudgedTimes();
  EXPECT_THAT(times, SizeIs(LiveHistory::kMaxJudged));
  EXPECT_EQ(times.back() - times.front(), 999 * kMinute * 1000);
  EXPECT_NEAR(read.Growth().per_minute, 1000, 1e-6);
  EXPECT_EQ(read.Growth().live, 1'000'000);
}

TEST(LiveHistoryTest, ScatteredWeightsAreNotGrowing) {
  HeapRecording recording;
  const int64_t weights[] = {100, 900, 200, 800, 300, 1000};  // exact weights that go up and down
  for (int64_t i = 0; i < 6; ++i) {
    recording.Snapshot({.time_us = (i + 1) * kMinute,
                        .old_collections = i + 1,
                        .objects = {{.weight = weights[i] * 1'000'000}}});
  }
  const LiveGrowth growth = Read(recording.Build()).Growth();
  EXPECT_GT(growth.per_minute, 50e6);
  EXPECT_FALSE(growth.IsGrowing());
}

TEST(LiveHistoryTest, FilesJoinedInAnyOrderAreOneHistory) {
  std::string chunks[4];
  for (int64_t i = 0; i < 4; ++i) {
    HeapRecording recording;
    recording.Snapshot({.time_us = (i + 1) * kMinute,
                        .old_collections = i + 1,
                        .objects = {{.weight = (i + 1) * 1'000'000}}});
    chunks[i] = recording.Build();
  }
  const LiveGrowth growth = Read(chunks[2] + chunks[0] + chunks[3] + chunks[1]).Growth();
  EXPECT_NEAR(growth.per_minute, 1e6, 1e-3);
  EXPECT_EQ(growth.live, 4e6);
}

// ---- values that no JVM writes

TEST(LiveHistoryTest, InvalidValuesGiveFiniteNumbers) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (const int64_t value : {int64_t{-1}, -kMost, kMost, int64_t{0}}) {
    HeapRecording recording;
    for (int64_t i = 1; i <= 5; ++i) {
      recording.Snapshot({.time_us = i * kMinute,
                          .old_collections = i,
                          .objects = {{.size = value,
                                       .weight = value,
                                       .error = value,
                                       .allocated_us = value / 2,
                                       .age = value}}});
    }
    const LiveGrowth growth = Read(recording.Build()).Growth();
    EXPECT_TRUE(std::isfinite(growth.per_minute)) << value;
    EXPECT_TRUE(std::isfinite(growth.live)) << value;
    EXPECT_FALSE(growth.IsGrowing()) << value;
  }
}

TEST(LiveHistoryTest, IndistinguishableObjectsHaveNoErrorAndTakeLittleTime) {
  HeapRecording recording;
  for (int64_t i = 1; i <= 5; ++i) {
    test::HeapSnapshot snapshot{.time_us = i * kMinute, .old_collections = i};
    snapshot.objects.resize(static_cast<size_t>(i) * 10'000, {.weight = 1000, .error = 1});
    recording.Snapshot(snapshot);
  }
  const LiveGrowth growth = Read(recording.Build()).Growth();
  EXPECT_NEAR(growth.per_minute, 1e7, 1);
  EXPECT_TRUE(std::isnan(growth.variance));
  EXPECT_FALSE(growth.IsGrowing());
}

}  // namespace
}  // namespace jprof::profile
