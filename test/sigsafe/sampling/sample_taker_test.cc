#include "sigsafe/sampling/sample_taker.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <vector>

#include "sigsafe/os/clock.h"
#include "sigsafe/os/thread_id.h"
#include "sigsafe/sampling/cpu_sampling.h"
#include "sigsafe/sampling/wall_accounting.h"
#include "sigsafe/sampling/wall_sampling.h"
#include "sigsafe/threads/current_thread.h"
#include "support/sampling_world.h"
#include "support/signal_body.h"

namespace jprof {
namespace {

using test::InSignal;
using test::IntervalsOf;
using test::SamplingWorld;
using test::WorldSizes;

constexpr uint32_t kNoSlot = ThreadSlots::kCapacity;

// A policy that a new engine could add. Its weights are bytes instead of times; everything else is
// the default.
class BytesSampling : public SamplePolicy {
 public:
  static constexpr SampleKind kKind = SampleKind::kWall;  // has a row and room for a payload

  struct [[gnu::packed]] Allocation {
    static constexpr SampleKind kKind = BytesSampling::kKind;
    uint64_t class_key;
    bool is_large;
  };

  explicit BytesSampling(uint64_t bytes) : bytes_(bytes) {}

  uint64_t WeightWithoutGuard(const ThreadSlot&) const { return bytes_; }
  void Account(ThreadSlot&, Sample* sample) const {
    sample->weight = bytes_;
    sample->SetPayload(Allocation{0xc1a55, true});
  }

 private:
  const uint64_t bytes_;
};

class SampleTakerTest : public testing::Test {
 protected:
  SampleTakerTest() { MakeWorld({}); }
  ~SampleTakerTest() override { SetCurrentThread(nullptr); }

  void MakeWorld(WorldSizes sizes) {
    SetCurrentThread(nullptr);
    world_.reset();
    world_.emplace(sizes);
    thread_ = world_->RegisterCurrentThread();
    world_->Activate();
  }

  void TakeCpu(uint32_t intervals = 1) { TakeCpuAs(thread_->index, intervals); }
  void TakeCpuAs(uint32_t slot_index, uint32_t intervals) {
    InSignal([&](void* ucontext) { TakeCpuSample(slot_index, intervals, ucontext); });
  }
  void TakeWall(ThreadActivity activity = ThreadActivity::kSleeping) {
    InSignal([&](void* ucontext) { TakeWallSample(thread_->index, activity, 0, ucontext); });
  }

  // Waits for the next cut of elapsed time.
  static void AwaitCut() {
    const Nanos cut_ns = MonotonicNanos() / Sampling().IntervalOf(SampleKind::kWall);
    while (MonotonicNanos() / Sampling().IntervalOf(SampleKind::kWall) == cut_ns) {
    }
  }

  // Bounds of the number of cuts of wall time from the thread's registration to the last sample.
  struct Cuts {
    uint64_t at_least, at_most;
  };
  // Takes wall samples for `duration_ns`, and returns the bounds of the number of cuts.
  Cuts TakeWallFor(Nanos duration_ns) {
    const Nanos end_ns = MonotonicNanos() + duration_ns;
    Nanos before_ns = 0;
    while (before_ns < end_ns) {
      before_ns = MonotonicNanos();
      TakeWall();
    }
    return {CutsUntil(before_ns), CutsUntil(MonotonicNanos())};
  }
  uint64_t CutsUntil(Nanos now_ns) {
    const Nanos interval_ns = Sampling().IntervalOf(SampleKind::kWall);
    const Nanos cuts = now_ns / interval_ns - thread_->claimed_ns / interval_ns;
    return static_cast<uint64_t>(cuts);
  }

  // Expects that the weight `expected` was lost, of the kind `kind` and for the reason `reason`,
  // and no other weight.
  void ExpectLost(SampleKind kind, LostReason reason, uint64_t expected) {
    EXPECT_EQ(world_->TakeLost(kind, reason), expected);
    EXPECT_EQ(world_->TakeAllLost(), 0u);
  }

  void UseUpWalkBuffers() {
    WalkBuffer buffer;
    while (world_->buffers().Claim(&buffer)) {
    }
  }
  void FillSamples() {
    Sample sample{};
    sample.trace = CallTraceId{1};
    while (Sampling().samples->Push(*thread_, 0, sample)) {
    }
  }

  std::optional<SamplingWorld> world_;
  ThreadSlot* thread_ = nullptr;
};

TEST_F(SampleTakerTest, ACpuSampleHasThreadTimeStackAndWeight) {
  world_->walker().answer = 3;
  const Nanos before_ns = MonotonicNanos();
  TakeCpu(5);
  const std::vector<Sample> samples = world_->Drain();
  ASSERT_EQ(samples.size(), 1u);
  const Sample& sample = samples[0];
  EXPECT_EQ(sample.kind, SampleKind::kCpu);
  EXPECT_EQ(IntervalsOf(sample), 5u);
  EXPECT_EQ(sample.thread.tid(), CurrentTid());
  EXPECT_EQ(sample.thread.serial(), thread_->serial.load());
  EXPECT_GE(sample.time_ns, before_ns);
  EXPECT_LE(sample.time_ns, MonotonicNanos());
  const CallTrace* trace = world_->table().Find(sample.trace);
  ASSERT_NE(trace, nullptr);
  EXPECT_EQ(trace->frame_count, 3u);
  EXPECT_EQ(trace->frames()[0].id, 0x1000u);
  EXPECT_EQ(world_->TakeAllLost(), 0u);
}

// Each sample takes longer than the interval, so that the next signal is pending when a handler
// returns.
TEST_F(SampleTakerTest, AThreadKeepsHalfOfItsCpuTimeUnderLongWalks) {
  static constexpr Nanos kWalkNs = 2'000'000;
  constexpr Nanos kAllNs = 100'000'000;
  world_->walker().during_walk = [] {
    const Nanos end_ns = ThreadCpuNanos() + kWalkNs;
    while (ThreadCpuNanos() < end_ns) {
    }
  };
  const Nanos begin_ns = ThreadCpuNanos();
  thread_->cpu_due_ns = begin_ns + 1'000'000;
  while (ThreadCpuNanos() < begin_ns + kAllNs) TakeCpu();
  const auto walking = static_cast<Nanos>(world_->walker().calls * kWalkNs);
  EXPECT_LT(walking, kAllNs * 6 / 10);
  EXPECT_GT(walking, kAllNs * 4 / 10);
  world_->walker().during_walk = nullptr;
  thread_->cpu_throttled_until_ns = 0;
  TakeCpu();  // takes the intervals that have become due
  uint64_t intervals = 0;
  for (const Sample& sample : world_->Drain()) intervals += IntervalsOf(sample);
  EXPECT_NEAR(static_cast<double>(intervals), kAllNs / 1e6, 4);
}

TEST_F(SampleTakerTest, WallSamplesStandForTheElapsedTime) {
  const Cuts elapsed = TakeWallFor(60'000'000);
  uint64_t intervals = 0;
  Nanos spans = 0;
  for (const Sample& sample : world_->Drain()) {
    EXPECT_EQ(sample.kind, SampleKind::kWall);
    EXPECT_EQ(sample.Payload<WallPayload>().activity, ThreadActivity::kSleeping);
    intervals += IntervalsOf(sample);
    spans += sample.Payload<WallPayload>().elapsed_ns;
    EXPECT_EQ(spans, sample.time_ns - thread_->claimed_ns) << "the elapsed times leave no time out";
  }
  EXPECT_GE(intervals, elapsed.at_least);
  EXPECT_LE(intervals, elapsed.at_most);
}

TEST_F(SampleTakerTest, AWallSampleAlsoTakesADueCpuSample) {
  thread_->cpu_due_ns = 1;
  AwaitCut();
  TakeWall(ThreadActivity::kRunning);
  const std::vector<Sample> samples = world_->Drain();
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].kind, SampleKind::kWall);
  EXPECT_EQ(samples[1].kind, SampleKind::kCpu);
  EXPECT_EQ(samples[1].trace, samples[0].trace);
  EXPECT_GE(IntervalsOf(samples[1]), 1u);
  EXPECT_EQ(world_->walker().calls, 1u) << "one walk, two samples";

  thread_->cpu_due_ns = INT64_MAX;  // simulates a next cut that is far away
  TakeCpu();
  EXPECT_EQ(world_->walker().calls, 1u) << "the signal whose sample was taken already";
  EXPECT_TRUE(world_->Drain().empty());
  thread_->cpu_due_ns = 1;
  TakeCpu();
  EXPECT_EQ(world_->walker().calls, 2u) << "the signal after that";
  EXPECT_EQ(world_->Drain().size(), 1u);
}

TEST_F(SampleTakerTest, RecordsNoEarlierCpuTimeWithTheStackOfAWait) {
  thread_->cpu_due_ns = 1;
  AwaitCut();
  TakeWall(ThreadActivity::kSleeping);
  const std::vector<Sample> samples = world_->Drain();
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0].kind, SampleKind::kWall);
  EXPECT_EQ(thread_->cpu_due_ns, 1);
}

TEST_F(SampleTakerTest, RecordsAnUnregisteredThreadWithItsAddress) {
  world_->slots().Release(thread_);
  TakeCpuAs(kNoSlot, 1);
  const std::vector<Sample> samples = world_->Drain();
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0].thread.tid(), CurrentTid());
  const CallTrace* trace = world_->table().Find(samples[0].trace);
  EXPECT_EQ(trace->frames()[0].kind, FrameKind::kNative);
  EXPECT_EQ(world_->walker().calls, 0u);
}

TEST_F(SampleTakerTest, AStackThatIsTooDeepIsTruncated) {
  world_->walker().answer = SamplingWorld::kDepth + 1;
  TakeCpu();
  EXPECT_EQ(world_->table().Find(world_->Drain().at(0).trace)->truncated, true);
}

TEST_F(SampleTakerTest, LosesTheWeightWithoutAWalkBuffer) {
  UseUpWalkBuffers();
  TakeCpu(3);
  TakeCpu(4);
  EXPECT_TRUE(world_->Drain().empty());
  ExpectLost(SampleKind::kCpu, LostReason::kNoWalkBuffer, 7);
}

TEST_F(SampleTakerTest, LosesTheWeightWhenTheStorageIsFull) {
  MakeWorld({.arena_bytes = 64});
  world_->walker().answer = 1;
  TakeCpu();  // stores a stack of 32 bytes
  world_->walker().answer = 10;
  TakeCpu(6);
  world_->walker().answer = 1;
  TakeCpu();
  EXPECT_EQ(world_->Drain().size(), 2u) << "known stacks are still recorded";
  ExpectLost(SampleKind::kCpu, LostReason::kStorageFull, 6);
}

TEST_F(SampleTakerTest, LosesTheWeightWhenTheSampleBlocksAreFull) {
  FillSamples();
  TakeCpu(9);
  ExpectLost(SampleKind::kCpu, LostReason::kSamplesFull, 9);
  world_->Drain();
  TakeCpu();
  EXPECT_EQ(world_->Drain().size(), 1u);
}

TEST_F(SampleTakerTest, CountsLostWallTimeOnce) {
  FillSamples();
  const Cuts at_first = TakeWallFor(20'000'000);
  world_->Drain();
  const uint64_t lost = world_->TakeLost(SampleKind::kWall, LostReason::kSamplesFull);
  EXPECT_GE(lost, at_first.at_least);
  EXPECT_LE(lost, at_first.at_most);
  const Cuts in_all = TakeWallFor(20'000'000);
  uint64_t recorded = 0;
  for (const Sample& sample : world_->Drain()) recorded += IntervalsOf(sample);
  EXPECT_GE(lost + recorded, in_all.at_least);
  EXPECT_LE(lost + recorded, in_all.at_most);
}

TEST_F(SampleTakerTest, CountsTheWeightOnAThreadWithoutASlot) {
  while (world_->slots().Claim(Tid{1}) != nullptr) {
  }
  TakeCpuAs(kNoSlot, 4);
  EXPECT_TRUE(world_->Drain().empty());
  EXPECT_EQ(world_->TakeLostWithoutThread(SampleKind::kCpu), 4u);
  EXPECT_EQ(world_->TakeAllLost(), 0u);
}

TEST_F(SampleTakerTest, RecordsLosesAndWalksNothingWhileNoSamplerRuns) {
  world_->Deactivate();
  TakeCpu();
  TakeWall();
  while (world_->slots().Claim(Tid{1}) != nullptr) {
  }
  SetCurrentThread(nullptr);
  TakeCpuAs(kNoSlot, 1);
  SetCurrentThread(nullptr);
  UseUpWalkBuffers();
  TakeCpu();
  FillSamples();
  TakeCpu();
  EXPECT_EQ(world_->TakeAllLost(), 0u);
  for (const Sample& sample : world_->Drain()) EXPECT_EQ(sample.trace, CallTraceId{1});
  EXPECT_EQ(world_->walker().calls, 0u);
}

TEST_F(SampleTakerTest, RecordsNothingIfTheSamplerStopsDuringTheWalk) {
  world_->walker().during_walk = [] { Sampling().traces.Activate(nullptr); };
  TakeCpu();
  world_->Activate();
  TakeWall();
  EXPECT_TRUE(world_->Drain().empty());
  EXPECT_EQ(world_->TakeAllLost(), 0u);
}

TEST_F(SampleTakerTest, ReleasesItsBufferAndItsGuard) {
  for (int i = 0; i < 300; ++i) {
    world_->walker().answer = i % 2 == 0 ? 3 : -3;
    TakeCpu();
    ASSERT_FALSE(IsHeld(thread_->guards, &world_->table()));
  }
  EXPECT_EQ(world_->Drain().size(), 300u);
  EXPECT_EQ(thread_->guards.depth.load(), 0u);
}

TEST_F(SampleTakerTest, LosesCpuButNotWallTimeWhenTheStorageIsBusy) {
  thread_->guards.depth = GuardCells::kMaxDepth;
  TakeCpu(2);
  const Cuts refused = TakeWallFor(5'000'000);
  ExpectLost(SampleKind::kCpu, LostReason::kGuardRefused, 2);
  EXPECT_TRUE(world_->Drain().empty());
  thread_->guards.depth = 0;
  TakeWall();
  uint64_t recorded = 0;
  for (const Sample& sample : world_->Drain()) recorded += IntervalsOf(sample);
  EXPECT_GE(recorded, refused.at_least);
}

TEST_F(SampleTakerTest, LosesTheRestOfAThreadWhenTheStorageIsBusy) {
  thread_->cpu_due_ns = ThreadCpuNanos() - 2 * Sampling().IntervalOf(SampleKind::kCpu);
  AwaitCut();
  thread_->guards.depth = GuardCells::kMaxDepth;
  RecordCpuThreadEnd(*thread_);
  RecordWallThreadEnd(*thread_);
  EXPECT_GE(world_->TakeLost(SampleKind::kCpu, LostReason::kGuardRefused), 3u);
  EXPECT_GE(world_->TakeLost(SampleKind::kWall, LostReason::kGuardRefused), 1u);
  thread_->guards.depth = 0;
  RecordCpuThreadEnd(*thread_);
  EXPECT_TRUE(world_->Drain().empty()) << "the weight is accounted for already";
  EXPECT_EQ(world_->TakeAllLost(), 0u);
}

TEST_F(SampleTakerTest, ANewKindNeedsOnlyAPolicy) {
  constexpr uint64_t kBytes = (uint64_t{1} << 40) + 1;
  const auto take = [&](uint64_t bytes) {
    InSignal([&](void* ucontext) {
      TakeSample(Subject::Taker(), InterruptedThread(ucontext), BytesSampling(bytes));
    });
  };
  const auto take_lost = [&](LostReason reason) {
    return thread_->lost[LossIndex(BytesSampling::kKind, reason)].exchange(0);
  };
  take(0);
  EXPECT_TRUE(world_->Drain().empty()) << "its weight is 0";
  world_->walker().answer = 3;
  take(kBytes);
  const std::vector<Sample> samples = world_->Drain();
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0].weight, kBytes);
  EXPECT_EQ(uint64_t{samples[0].Payload<BytesSampling::Allocation>().class_key}, 0xc1a55u);
  EXPECT_EQ(samples[0].thread.serial(), thread_->serial.load());
  EXPECT_EQ(world_->table().Find(samples[0].trace)->frame_count, 3u);
  thread_->guards.depth = GuardCells::kMaxDepth;
  take(kBytes);
  EXPECT_EQ(take_lost(LostReason::kGuardRefused), kBytes) << "in the unit of the kind";
  thread_->guards.depth = 0;
  UseUpWalkBuffers();
  take(kBytes);
  EXPECT_EQ(take_lost(LostReason::kNoWalkBuffer), kBytes);
}

TEST_F(SampleTakerTest, RecordsACallerWithoutAWalkerWithTheReason) {
  const auto frame_of = [&] {
    const std::vector<Sample> samples = world_->Drain();
    EXPECT_EQ(samples.size(), 1u);
    EXPECT_EQ(samples.at(0).weight, 4096u);
    const CallTrace* trace = world_->table().Find(samples.at(0).trace);
    EXPECT_EQ(trace->frame_count, 1u);
    return trace->frames()[0];
  };
  TakeSample(Subject::Taker(), CallingThread(), BytesSampling(4096));
  const Frame frame = frame_of();
  EXPECT_EQ(frame.kind, FrameKind::kOutcome);
  EXPECT_EQ(frame.id, OutcomeFrame(WalkOutcome::kNoWalker).id);
  EXPECT_EQ(world_->walker().calls, 0u) << "AsyncGetCallTrace is for signal handlers";
}

// A cpu signal arrives in the middle of another sample of the same thread.
TEST_F(SampleTakerTest, ASignalCanInterruptASynchronousCaller) {
  static std::function<void()> interrupt;
  struct Interrupted : BytesSampling {
    using BytesSampling::BytesSampling;
    void Account(ThreadSlot& thread, Sample* sample) const {
      BytesSampling::Account(thread, sample);
      interrupt();
    }
  };
  interrupt = [this] { TakeCpu(2); };
  TakeSample(Subject::Taker(), CallingThread(), Interrupted(4096));
  uint64_t bytes = 0;
  uint64_t intervals = 0;
  for (const Sample& sample : world_->Drain()) {
    (sample.kind == SampleKind::kCpu ? intervals : bytes) +=
        sample.kind == SampleKind::kCpu ? IntervalsOf(sample) : sample.weight;
  }
  EXPECT_EQ(bytes, 4096u);
  EXPECT_EQ(intervals, 2u);
  EXPECT_EQ(world_->TakeAllLost(), 0u);
}

TEST_F(SampleTakerTest, TheGuardIsNotHeldDuringTheWalk) {
  static ThreadSlot* sampled = nullptr;
  static CallTraceHashTable* table = nullptr;
  static bool held = false;
  sampled = thread_;
  table = &world_->table();
  world_->walker().during_walk = [] { held = IsHeld(sampled->guards, table); };
  TakeCpu();
  EXPECT_FALSE(held);
}

TEST_F(SampleTakerTest, AlwaysAnswersTheSignalOfTheWallEngine) {
  const auto answers = [this] {
    thread_->wall_answer_ns = 0;
    AwaitCut();
    TakeWall();
    return thread_->wall_answer_ns.load() > 0;
  };
  EXPECT_TRUE(answers());
  thread_->guards.depth = GuardCells::kMaxDepth;
  EXPECT_TRUE(answers()) << "without a guard";
  thread_->guards.depth = 0;
  Sampling().window.Limit();
  EXPECT_TRUE(answers()) << "outside of windows";
  Sampling().window.OpenPermanently();
  UseUpWalkBuffers();
  EXPECT_TRUE(answers()) << "without a walk buffer";
}

TEST_F(SampleTakerTest, CountsSamplesOutsideWindowsWithoutAWalk) {
  for (const SampleKindRow& row : kSampleKinds) OutsideWindows(row.kind) = 0;
  Sampling().window.Limit();
  TakeCpu(3);
  AwaitCut();
  TakeWall();
  EXPECT_TRUE(world_->Drain().empty());
  EXPECT_EQ(thread_->walk_ns.load(), 0U);
  EXPECT_EQ(IntervalsOf(SampleKind::kCpu, OutsideWindows(SampleKind::kCpu).exchange(0)), 3U);
  EXPECT_GE(IntervalsOf(SampleKind::kWall, OutsideWindows(SampleKind::kWall).exchange(0)), 1U);
  EXPECT_EQ(world_->TakeAllLost(), 0U);

  Sampling().window.Open();
  TakeCpu(2);
  Sampling().window.Close();
  TakeCpu(1);
  const std::vector<Sample> samples = world_->Drain();
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_EQ(IntervalsOf(samples[0]), 2U);
  EXPECT_EQ(IntervalsOf(SampleKind::kCpu, OutsideWindows(SampleKind::kCpu).exchange(0)), 1U);
  Sampling().window.OpenPermanently();
}

}  // namespace
}  // namespace jprof
