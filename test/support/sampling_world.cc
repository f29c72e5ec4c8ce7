#include "support/sampling_world.h"

#include <gtest/gtest.h>

#include "sigsafe/base/sample_settings.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/thread_id.h"
#include "walking/walk_environments.h"

namespace jprof::test {
namespace {

Pages Reserved(size_t bytes) { return std::move(Pages::Reserve(bytes)).value(); }

Region Exactly(const Pages& pages, size_t size) { return {pages.region().data, size}; }

uint32_t g_worlds = 0;      // number of worlds so far; the run and epoch of the latest
SampleSettings g_settings;  // settings of the latest world

}  // namespace

SamplingWorld::SamplingWorld(WorldSizes sizes)
    : records_pages_(Reserved(ThreadSlots::kRegionSize)),
      buffer_pages_(Reserved(WalkBuffers::RegionSize(kDepth))),
      index_(Reserved(CallTraceIndex::RegionSize(sizes.trace_slots))),
      arena_(Reserved(sizes.arena_bytes)),
      sample_pages_(Reserved(SampleBlocks::RegionSize(sizes.sample_blocks))),
      slots_(records_pages_.region()),
      buffers_(buffer_pages_.region(), kDepth),
      samples_(sample_pages_.region(), sizes.sample_blocks) {
  ++g_worlds;
  table_.Begin(g_worlds, CallTraceIndex::In(index_.region(), sizes.trace_slots),
               Exactly(arena_, sizes.arena_bytes));
  SamplingState& state = Sampling();
  state.run = g_worlds;
  state.start_ns = MonotonicNanos();
  g_settings = SampleSettings()
                   .Enable(SampleKind::kCpu, sizes.cpu_interval_ns)
                   .Enable(SampleKind::kWall, sizes.wall_interval_ns);
  for (const SampleKindRow& row : kSampleKinds) {
    state.SetInterval(row.kind, g_settings[row.kind].interval);
  }
  state.samples = &samples_;
  ChangeWalkEnvironment([this](WalkEnvironment& next) { next.buffers = &buffers_; });
  SetThreadSlots(&slots_);
}

SamplingWorld::~SamplingWorld() {
  Deactivate();
  SetThreadSlots(nullptr);
  ChangeWalkEnvironment([](WalkEnvironment& next) { next.buffers = nullptr; });
  for (const SampleKindRow& row : kSampleKinds) LostWithoutThread(row.kind).exchange(0);
}

ThreadSlot* SamplingWorld::RegisterCurrentThread() {
  ThreadSlot* thread = slots_.Claim(CurrentTid());
  thread->jni_env = this;  // any address is enough for the fake walker
  return thread;
}

std::vector<Sample> SamplingWorld::Drain() {
  std::vector<Sample> samples;
  samples_.Drain(table_.epoch(), [&](const Sample& sample) { samples.push_back(sample); });
  return samples;
}

uint64_t IntervalsOf(SampleKind kind, uint64_t weight) {
  const uint64_t intervals = g_settings.Reported(kind, weight);
  EXPECT_EQ(intervals * static_cast<uint64_t>(g_settings[kind].interval), weight)
      << "whole intervals";
  return intervals;
}

uint64_t SamplingWorld::TakeLost(SampleKind kind, LostReason reason) {
  uint64_t weight = 0;
  for (uint32_t i = 0; i < slots_.HighWater(); ++i) {
    weight += slots_.At(i)->lost[LossIndex(kind, reason)].exchange(0);
  }
  return IntervalsOf(kind, weight);
}

uint64_t SamplingWorld::TakeAllLost() {
  uint64_t intervals = 0;
  for (const SampleKindRow& row : kSampleKinds) intervals += TakeLostWithoutThread(row.kind);
  for (const SampleLoss& loss : kSampleLosses) intervals += TakeLost(loss.kind, loss.reason);
  return intervals;
}

}  // namespace jprof::test
