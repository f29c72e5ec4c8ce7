#include "sigsafe/sampling/sample.h"

#include <gtest/gtest.h>

#include <limits>

#include "sigsafe/sampling/wall_accounting.h"

namespace jprof {
namespace {

constexpr uint32_t kMostSerial = std::numeric_limits<uint32_t>::max();
constexpr int64_t kMostId = std::numeric_limits<int64_t>::max();

TEST(SampledThreadTest, APlatformThreadHasItsSerialAndTid) {
  for (const uint32_t serial : {0u, 1u, kMostSerial}) {
    for (const int32_t tid : {0, 1, 1 << 22, std::numeric_limits<int32_t>::max()}) {
      const auto thread = SampledThread::Platform(serial, Tid{tid});
      EXPECT_FALSE(thread.is_virtual());
      EXPECT_EQ(thread.serial(), serial);
      EXPECT_EQ(thread.tid(), Tid{tid});
      EXPECT_EQ(thread.virtual_id(), 0);
    }
  }
}

TEST(SampledThreadTest, AVirtualThreadHasItsIdOnly) {
  for (const int64_t id : {int64_t{1}, int64_t{1} << 40, kMostId}) {
    const auto thread = SampledThread::Virtual(id);
    EXPECT_TRUE(thread.is_virtual());
    EXPECT_EQ(thread.virtual_id(), id);
    EXPECT_EQ(thread.serial(), 0u);
    EXPECT_EQ(thread.tid(), Tid{0});
  }
}

TEST(SampleTest, ReturnsThePayloadThatWasSet) {
  Sample sample{};
  sample.kind = SampleKind::kWall;
  sample.SetPayload(WallPayload{kMostId, ThreadActivity::kInIo});
  const auto payload = sample.Payload<WallPayload>();
  EXPECT_EQ(Nanos{payload.elapsed_ns}, kMostId);
  EXPECT_EQ(ThreadActivity{payload.activity}, ThreadActivity::kInIo);
}

TEST(SampleTest, AStackHasTheTimeOfItsSampleOrOfTheLastStack) {
  for (const SampleKind kind : {SampleKind::kCpu, SampleKind::kWall}) {
    Sample sample{};
    sample.kind = kind;
    sample.time_ns = 7;
    if (kind == SampleKind::kWall) sample.SetPayload(WallPayload{1, ThreadActivity::kInIo});
    EXPECT_EQ(sample.stack_ns(), 7);
    sample.SetLastStackTime(kMostId);
    EXPECT_EQ(sample.stack_ns(), kMostId);
    EXPECT_EQ(sample.time_ns, 7);
    if (kind != SampleKind::kWall) continue;
    EXPECT_EQ(ThreadActivity{sample.Payload<WallPayload>().activity}, ThreadActivity::kInIo);
  }
}

// Expects the bytes that a sample of each kind takes in a block.
TEST(SampleTest, ASampleTakesNoMoreThanItsKindNeeds) {
  EXPECT_EQ(StoredBytes(SampleKind::kCpu), 40u);
  EXPECT_EQ(StoredBytes(SampleKind::kWall), 48u);
  EXPECT_EQ(StoredBytes(SampleKind::kCpu, true), 48u);
  EXPECT_EQ(StoredBytes(SampleKind::kWall, true), 56u);
  for (const SampleKindRow& row : kSampleKinds) {
    EXPECT_GE(StoredBytes(row.kind), offsetof(Sample, payload) + row.payload_bytes);
    EXPECT_LE(StoredBytes(row.kind), sizeof(Sample));
  }
}

}  // namespace
}  // namespace jprof
