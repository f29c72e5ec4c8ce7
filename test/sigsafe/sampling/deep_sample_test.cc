// Tests synchronous samples of deep stacks: each sample is recorded, even if only a part of its
// stack was walked.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/stack/frame_sink.h"
#include "sigsafe/threads/current_thread.h"
#include "support/sampling_world.h"

namespace jprof {
namespace {

using test::SamplingWorld;

constexpr SampleKind kBytes = SampleKind::kAlloc;

class Bytes : public SamplePolicy {
 public:
  static constexpr SampleKind kKind = kBytes;
  explicit Bytes(uint64_t bytes) : bytes_(bytes) {}
  void Account(ThreadSlot&, Sample* sample) const { sample->weight = bytes_; }

 private:
  const uint64_t bytes_;
};

// A stack of `depth` frames, each of which takes at least kFrameNs to walk.
template <bool kSynchronous>
class DeepStack {
 public:
  static constexpr Nanos kFrameNs = 1'000;

  DeepStack(uint32_t depth, uint32_t* walked) : depth_(depth), walked_(walked) {}

  static constexpr bool kNeedsBuffer = true;
  SampledWalk Walk(const WalkEnvironment&, ThreadSlot& thread, const Subject&,
                   const WalkBuffer& buffer) const {
    const auto walk = [this](const WalkBuffer& bounded) { return WalkInto(bounded); };
    return {
        kSynchronous ? WalkOnBudget(thread, RootBudget::kLeafFrames, buffer, walk) : walk(buffer),
        true};
  }

 private:
  Stack WalkInto(const WalkBuffer& buffer) const {
    FrameSink sink(buffer.frames, buffer.depth, buffer.root_depth, buffer.root_budget);
    for (uint32_t i = 0; i < depth_ && sink.Push(NativeFrame(Pc{i})); ++i) {
      const Nanos end_ns = MonotonicNanos() + kFrameNs;
      while (MonotonicNanos() < end_ns) {
      }
      ++*walked_;
    }
    const uint32_t count = sink.Finish();
    return {buffer.frames, count, sink.truncated(), false, sink.lacks_root()};
  }

  const uint32_t depth_;
  uint32_t* const walked_;
};

class DeepSampleTest : public testing::Test {
 protected:
  static constexpr uint32_t kDepth = 4000;

  DeepSampleTest() : thread_(world_.RegisterCurrentThread()) {
    world_.buffers().SetDepth(SamplingWorld::kDepth, SamplingWorld::kDepth / 4);
    world_.Activate();
    SamplesWithoutRoot(kBytes) = 0;
    SpendAll();
  }
  ~DeepSampleTest() override { SetCurrentThread(nullptr); }

  template <bool kSynchronous>
  uint32_t Take(uint64_t bytes, uint32_t depth) {
    uint32_t walked = 0;
    TakeSample(thread_, Subject::Taker(), DeepStack<kSynchronous>(depth, &walked), Bytes(bytes));
    return walked;
  }

  // Spends all that the accounts of the process and of the thread have (RootBudget).
  void SpendAll() {
    thread_->walk_account_ns = std::numeric_limits<Nanos>::max() / 2;
    while (Take<true>(1, 100'000) > RootBudget::kLeafFrames) {
    }
    thread_->walk_account_ns = ThreadCpuNanos();
    static_cast<void>(world_.Drain());
    SamplesWithoutRoot(kBytes) = 0;
  }

  SamplingWorld world_;
  ThreadSlot* const thread_;
};

TEST_F(DeepSampleTest, ASampleWithoutItsRootHasItsWholeWeightAndLeaf) {
  EXPECT_EQ(Take<true>(1000, kDepth), RootBudget::kLeafFrames);
  const std::vector<Sample> samples = world_.Drain();
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0].weight, 1000u);
  const CallTrace* const trace = world_.table().Find(samples[0].trace);
  ASSERT_NE(trace, nullptr);
  EXPECT_TRUE(trace->truncated);
  EXPECT_EQ(trace->frames()[0].id, 0u);
  EXPECT_EQ(trace->frames()[trace->frame_count - 1].id,
            static_cast<uint64_t>(WalkOutcome::kRootNotWalked));
  EXPECT_EQ(SamplesWithoutRoot(kBytes), 1u);
}

TEST_F(DeepSampleTest, AStackWithinTheLeafIsNotCounted) {
  EXPECT_EQ(Take<true>(1, RootBudget::kLeafFrames), RootBudget::kLeafFrames);
  EXPECT_EQ(SamplesWithoutRoot(kBytes), 0u);
}

TEST_F(DeepSampleTest, HandlersWalkToTheRoot) {
  EXPECT_EQ(Take<false>(1, kDepth), kDepth);
  EXPECT_EQ(SamplesWithoutRoot(kBytes), 0u);
}

// The thread only takes samples of itself, so most of its time is spent on walks of leaves.
TEST_F(DeepSampleTest, SumsAreExactAndRootsTakeNoMoreThanTheirShare) {
  constexpr Nanos kAllNs = 500'000'000;
  const Nanos begin_ns = ThreadCpuNanos(), started_ns = MonotonicNanos();
  uint64_t taken = 0, bytes = 0, recorded = 0, beyond_leaf = 0, cut = 0;
  while (ThreadCpuNanos() < begin_ns + kAllNs) {
    const bool is_deep = taken % 2 == 0;
    const uint32_t walked = Take<true>(100 + taken % 7, is_deep ? kDepth : 10);
    bytes += 100 + taken % 7;
    ++taken;
    if (walked > RootBudget::kLeafFrames) beyond_leaf += walked - RootBudget::kLeafFrames;
    if (is_deep && walked < kDepth) ++cut;
    for (const Sample& sample : world_.Drain()) recorded += sample.weight;
  }
  EXPECT_EQ(recorded, bytes);
  EXPECT_EQ(SamplesWithoutRoot(kBytes), cut);
  EXPECT_GT(cut, taken / 4) << "half of the samples are deep";
  const auto roots_ns = static_cast<Nanos>(beyond_leaf) * DeepStack<true>::kFrameNs;
  EXPECT_GT(beyond_leaf, 0u);
  // The last walk can overdraw each account, because frames are ten times as slow as expected.
  EXPECT_LT(roots_ns, kAllNs / RootBudget::kThreadShare +
                          (MonotonicNanos() - started_ns) / RootBudget::kProcessShare +
                          2 * kDepth * DeepStack<true>::kFrameNs);
}

}  // namespace
}  // namespace jprof
