#include "support/sampling_world.h"

#include "sigsafe/os/clock.h"
#include "sigsafe/os/thread_id.h"
#include "stack/walk_environments.h"

namespace jprof::test {
namespace {

Pages Reserved(size_t bytes) { return std::move(Pages::Reserve(bytes)).value(); }

Region Exactly(const Pages& pages, size_t size) { return {pages.region().data, size}; }

uint32_t g_worlds = 0;  // each is a session and an epoch of its own

constexpr SampleKind kKinds[] = {SampleKind::kCpu, SampleKind::kWall};

}  // namespace

SamplingWorld::SamplingWorld(WorldSizes sizes)
    : records_pages_(Reserved(ThreadRecords::kRegionSize)),
      buffer_pages_(Reserved(WalkBuffers::RegionSize(kDepth))),
      index_(Reserved(TraceIndex::RegionSize(sizes.trace_slots))),
      arena_(Reserved(sizes.arena_bytes)),
      sample_pages_(Reserved(SampleBlocks::RegionSize(sizes.sample_blocks))),
      records_(records_pages_.region()),
      buffers_(buffer_pages_.region(), kDepth),
      samples_(sample_pages_.region(), sizes.sample_blocks) {
  ++g_worlds;
  table_.Begin(g_worlds, TraceIndex::In(index_.region(), sizes.trace_slots),
               Exactly(arena_, sizes.arena_bytes));
  SamplingState& state = Sampling();
  state.session = g_worlds;
  state.start_ns = MonotonicNanos();
  state.cpu_interval_ns = sizes.cpu_interval_ns;
  state.wall_interval_ns = sizes.wall_interval_ns;
  state.samples = &samples_;
  ChangeWalkEnvironment([this](WalkEnvironment& next) { next.buffers = &buffers_; });
  SetThreadRecords(&records_);
}

SamplingWorld::~SamplingWorld() {
  Deactivate();
  SetThreadRecords(nullptr);
  ChangeWalkEnvironment([](WalkEnvironment& next) { next.buffers = nullptr; });
  for (const SampleKind kind : kKinds) TakeLostWithoutThread(kind);
}

ProfiledThread* SamplingWorld::RegisterCurrentThread() {
  ProfiledThread* thread = records_.Claim(CurrentTid());
  thread->jni_env = this;  // any address will do for the fake walker
  return thread;
}

std::vector<Sample> SamplingWorld::Drain() {
  std::vector<Sample> samples;
  samples_.Drain(table_.epoch(), [&](const Sample& sample) { samples.push_back(sample); });
  return samples;
}

uint64_t SamplingWorld::TakeLost(SampleKind kind, LostReason reason) {
  uint64_t intervals = 0;
  for (uint32_t i = 0; i < records_.HighWater(); ++i) {
    intervals +=
        records_.At(i)->lost[static_cast<size_t>(kind)][static_cast<size_t>(reason)].exchange(0);
  }
  return intervals;
}

uint64_t SamplingWorld::TakeAllLost() {
  uint64_t intervals = 0;
  for (const SampleKind kind : kKinds) {
    intervals += TakeLostWithoutThread(kind);
    for (size_t reason = 0; reason < kLostReasonCount; ++reason) {
      intervals += TakeLost(kind, static_cast<LostReason>(reason));
    }
  }
  return intervals;
}

}  // namespace jprof::test
