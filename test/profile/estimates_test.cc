// Tests samples that are estimates: their standard errors, companion events, and snapshots of live
// objects. A companion event describes the same sample as an event of the JDK, with its error, and
// replaces the event of the JDK.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "profile/heap_recording.h"
#include "profile/sample_reader.h"
#include "support/temp_folder.h"

namespace jprof::profile {
namespace {

using test::HeapObject;
using test::HeapRecording;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class EstimatesTest : public ::testing::Test, public SampleSink {
 protected:
  void OnSample(const Sample& sample) override { samples_.push_back(sample); }

  std::string Read(const std::string& bytes) {
    const std::string path = folder_.File("a.jfr");
    test::WriteFile(path, bytes);
    profile_ = Profile();
    samples_.clear();
    const auto report = ReadSamples(path, LineNumbers::kDrop, profile_, *this);
    EXPECT_TRUE(report.ok()) << report.error().message();
    return report.ok() ? report.value().missing : "";
  }

  const SampleKind* Kind(std::string_view name) const {
    for (const SampleKind& kind : profile_.kinds) {
      if (kind.name == name) return &kind;
    }
    return nullptr;
  }

  std::vector<uint64_t> Values(std::string_view kind) const {
    std::vector<uint64_t> values;
    for (const Sample& sample : samples_) {
      if (profile_.kinds[sample.kind].name == kind) values.push_back(sample.value);
    }
    return values;
  }

  test::TempFolder folder_;
  Profile profile_;
  std::vector<Sample> samples_;
};

TEST_F(EstimatesTest, CompanionsReplaceTheirEventsAndAddErrorsAndCounts) {
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): all runs are equal
  HeapRecording recording;
  uint64_t weight = 0;
  double variance = 0, objects = 0;
  for (int i = 0; i < 1000; ++i) {
    HeapObject object{.size = 1 + static_cast<int64_t>(random() % 100'000), .allocated_us = i};
    object.weight = object.size + static_cast<int64_t>(random() % 1'000'000);
    object.error = static_cast<int64_t>(random() % 1'000'000);
    recording.Allocate(object);
    weight += static_cast<uint64_t>(object.weight);
    variance += std::pow(static_cast<double>(object.error), 2);
    objects += static_cast<double>(object.weight) / static_cast<double>(object.size);
  }
  EXPECT_THAT(Read(recording.Build()), IsEmpty());
  ASSERT_THAT(samples_, SizeIs(1000)) << "each object once";
  ASSERT_NE(Kind("alloc"), nullptr);
  EXPECT_TRUE(Kind("alloc")->HasError());
  EXPECT_EQ(Kind("alloc")->value, weight);
  EXPECT_DOUBLE_EQ(Kind("alloc")->variance, variance);
  EXPECT_NEAR(Kind("alloc")->objects / objects, 1, 1e-9);
}

TEST_F(EstimatesTest, TheErrorIsUnknownWithoutCompanions) {
  HeapRecording recording(HeapRecording::Companions::kNone);
  recording.Allocate({.weight = 1000, .error = 300});
  recording.Snapshot({.time_us = 10, .objects = {{.weight = 500}}});
  recording.Snapshot({.time_us = 20, .objects = {{.weight = 700}}});
  Read(recording.Build());
  EXPECT_THAT(Values("alloc"), ElementsAre(1000));
  EXPECT_THAT(Values("live"), ElementsAre(500, 700)) << "nothing says that they are snapshots";
  for (const char* kind : {"alloc", "live"}) {
    EXPECT_FALSE(Kind(kind)->HasError());
    EXPECT_FALSE(Kind(kind)->HasObjects());
  }
}

TEST_F(EstimatesTest, ASumWithAPartOfUnknownErrorHasNoError) {
  HeapRecording ours, others(HeapRecording::Companions::kNone);
  ours.Allocate({.weight = 1000, .error = 300});
  others.Allocate({.weight = 2000});
  Read(ours.Build() + others.Build());
  EXPECT_THAT(Values("alloc"), ElementsAre(1000, 2000));
  EXPECT_FALSE(Kind("alloc")->HasError());
  EXPECT_EQ(samples_[0].variance, 300.0 * 300.0);
}

// Each chunk has the number of bytes of all threads and the number of bytes of one thread. The
// bytes of one thread must not be used.
TEST_F(EstimatesTest, TheErrorOfAllAllocationsIsTheirDifferenceFromTheCountOfTheJvm) {
  HeapRecording first, second;
  first.Allocate({.weight = 1000, .error = 300});
  first.Count(900);
  second.Allocate({.weight = 2000, .error = 400});
  second.Snapshot({.time_us = 10, .objects = {{.weight = 500, .error = 50}}});
  second.Count(2010);
  Read(first.Build() + second.Build());
  EXPECT_EQ(Kind("alloc")->variance, 90.0 * 90.0);
  EXPECT_EQ(Kind("alloc")->VarianceOf(3000, 500.0 * 500.0), 90.0 * 90.0);
  EXPECT_EQ(Kind("live")->VarianceOf(500, 50.0 * 50.0), 50.0 * 50.0);
  EXPECT_EQ(samples_[0].variance, 300.0 * 300.0);
  EXPECT_EQ(Kind("live")->variance, 50.0 * 50.0);
}

// The samples of a part and the samples of the rest are random. The sum of all of them is scaled to
// the true value. The part must then deviate from its true value by as much as its variance says.
TEST_F(EstimatesTest, TheVarianceOfAPartOfAScaledSumIsTrue) {
  constexpr int kEstimates = 4000;
  constexpr double kSamples = 400;
  constexpr double kWeight = 1000;  // weight of a sample
  std::mt19937 random(5);           // NOLINT(cert-msc51-cpp): all runs are equal
  for (const double share : {0.1, 0.25, 0.5, 0.75, 0.9}) {
    std::poisson_distribution<int> part(kSamples * share), rest(kSamples * (1 - share));
    double squares = 0;
    for (int i = 0; i < kEstimates; ++i) {
      const double ours = part(random);
      const double all = ours + rest(random);
      const double scale = kSamples / all;
      SampleKind kind;
      kind.value = static_cast<uint64_t>(kSamples * kWeight);
      kind.summed_variance = all * std::pow(scale * kWeight, 2);
      const double off = scale * ours - kSamples * share;
      squares += std::pow(off * kWeight, 2) /
                 kind.VarianceOf(scale * ours * kWeight, ours * std::pow(scale * kWeight, 2));
    }
    // 0.09 is four standard errors of a mean of squares.
    EXPECT_NEAR(squares / kEstimates, 1, 0.13) << share;
  }
}

TEST_F(EstimatesTest, TheLastSnapshotCounts) {
  HeapRecording first, second;
  first.Snapshot({.time_us = 10, .objects = {{.weight = 1}, {.weight = 2}}});
  first.Snapshot({.time_us = 20, .objects = {{.weight = 4}, {.weight = 8}, {.weight = 16}}});
  second.Snapshot(
      {.time_us = 30, .objects = {{.weight = 32, .error = 3}, {.weight = 64, .error = 4}}});
  Read(first.Build() + second.Build());
  EXPECT_THAT(Values("live"), ElementsAre(32, 64));
  EXPECT_EQ(Kind("live")->value, 96u);
  EXPECT_EQ(Kind("live")->samples, 2u);
  EXPECT_EQ(Kind("live")->variance, 25);
  EXPECT_EQ(samples_[0].time_ns, 1'000'000'000'000 + 30'000);

  Read(second.Build() + first.Build());
  EXPECT_THAT(Values("live"), ElementsAre(32, 64)) << "the last one by its time";

  HeapRecording empty;
  empty.Snapshot({.time_us = 40});
  Read(first.Build() + second.Build() + empty.Build());
  EXPECT_THAT(Values("live"), IsEmpty()) << "nothing was alive any more";
}

// ---- values that no JVM writes

TEST_F(EstimatesTest, InvalidErrorsAreUnknownAndLargeOnesDoNotOverflow) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (const int64_t error : {int64_t{-1}, std::numeric_limits<int64_t>::min()}) {
    HeapRecording recording;
    recording.Allocate({.weight = 1000, .error = error});
    Read(recording.Build());
    EXPECT_EQ(Kind("alloc")->value, 1000u);
    EXPECT_FALSE(Kind("alloc")->HasError()) << error;
  }
  HeapRecording recording;
  for (int i = 0; i < 1000; ++i) recording.Allocate({.size = 1, .weight = kMost, .error = kMost});
  recording.Allocate({.size = kMost, .weight = 10, .error = 1000});  // larger than the weight
  Read(recording.Build());
  EXPECT_TRUE(Kind("alloc")->HasError());
  EXPECT_TRUE(std::isfinite(Kind("alloc")->variance));
  EXPECT_TRUE(std::isfinite(Kind("alloc")->objects));
  EXPECT_EQ(samples_.back().variance, 1e6);

  HeapRecording sizes;
  for (const int64_t size : {int64_t{0}, int64_t{-8}, int64_t{16}}) {
    sizes.Allocate({.size = size, .weight = -64, .error = 1});
  }
  Read(sizes.Build());
  EXPECT_THAT(Values("alloc"), ElementsAre(0, 0, 0)) << "no weight is below none";
  EXPECT_EQ(Kind("alloc")->objects, 2) << "what has no size counts as itself";
}

TEST_F(EstimatesTest, ACompanionWithoutItsWeightReplacesNothing) {
  using Fields = HeapRecording::Fields;
  const auto without = [](Fields fields, const std::string& name) {
    std::erase_if(fields, [&name](const auto& field) { return field.name == name; });
    return fields;
  };
  struct Case {
    const char* missing;
    bool is_replaced, has_error;
    uint64_t value;
  };
  for (const Case& each :
       {Case{"weight", false, false, 1000}, Case{"stackTrace", false, false, 1000},
        Case{"standardError", true, false, 1000}, Case{"objectSize", true, true, 1000},
        Case{"objectClass", true, true, 1000}, Case{"eventThread", true, true, 1000}}) {
    HeapRecording recording(HeapRecording::Companions::kBoth,
                            without(HeapRecording::AllocatedFields(), each.missing),
                            without(HeapRecording::SurvivingFields(), each.missing));
    recording.Allocate({.size = 10, .weight = 1000, .error = 30});
    recording.Snapshot({.time_us = 10, .objects = {{.weight = 1000, .error = 30}}});
    EXPECT_THAT(Read(recording.Build()), IsEmpty()) << each.missing;
    EXPECT_THAT(Values("alloc"), ElementsAre(each.value)) << each.missing;
    EXPECT_THAT(Values("live"), ElementsAre(each.value)) << each.missing;
    EXPECT_EQ(Kind("alloc")->HasError(), each.has_error) << each.missing;
    EXPECT_EQ(Kind("live")->HasError(), each.has_error) << each.missing;
    EXPECT_EQ(Kind("live")->is_snapshot, each.is_replaced) << each.missing;
  }
}

TEST_F(EstimatesTest, BoundsTheMemoryOfASnapshotAndReportsTheRest) {
  HeapRecording recording;
  test::HeapSnapshot snapshot{.time_us = 10};
  snapshot.objects.resize(200'001, {.weight = 1});
  recording.Snapshot(snapshot);
  EXPECT_THAT(Read(recording.Build()), ::testing::HasSubstr("beyond the first 200000"));
  EXPECT_EQ(Kind("live")->value, 200'000u);
}

}  // namespace
}  // namespace jprof::profile
