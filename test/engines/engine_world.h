// EngineTest is the fixture for tests of engines without a JVM. It has the sampling world
// (support/sampling_world.h) and a registry of its slots. DrainTotals sums the samples that a
// recorder would get, by thread.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <memory>
#include <vector>

#include "chunks/off_thread_samples.h"
#include "engines/engine.h"
#include "sigsafe/sampling/wall_accounting.h"
#include "sigsafe/threads/current_thread.h"
#include "support/sampling_world.h"
#include "threads/thread_registry.h"

namespace jprof::test {

// Sleeps for `nanos` although signals interrupt this thread.
inline void SleepThrough(Nanos nanos) {
  timespec left{nanos / kNanosPerSecond, nanos % kNanosPerSecond};
  while (nanosleep(&left, &left) != 0) {
  }
}

// The sums over the samples of one thread.
struct ThreadTotals {
  uint64_t intervals = 0;
  uint64_t samples = 0;
  uint64_t sleeping = 0;  // wall samples that found the thread asleep
  Nanos elapsed_ns = 0;   // time for which the wall samples stand
  Nanos last_ns = 0;      // time of the last sample

  void Add(const ThreadTotals& later) {
    intervals += later.intervals;
    samples += later.samples;
    sleeping += later.sleeping;
    elapsed_ns += later.elapsed_ns;
    last_ns = std::max(last_ns, later.last_ns);
  }
};

class EngineTest : public testing::Test {
 protected:
  explicit EngineTest(Nanos wall_interval_ns) : world_({.wall_interval_ns = wall_interval_ns}) {
    SetCurrentThread(nullptr);  // the slot of an earlier test is gone
    world_.Activate();
  }

  // Starts an engine of the type SomeEngine. `setting` is the last argument of the engine's
  // constructor. Fails the test if the engine cannot start.
  template <class SomeEngine, class Setting>
  std::unique_ptr<Engine> StartEngine(Setting setting) {
    auto engine = std::make_unique<SomeEngine>(registry_, off_thread_, std::move(setting));
    const Status started = engine->Start();
    EXPECT_TRUE(started.ok()) << started.error().message();
    return engine;
  }

  void Rescan() { ASSERT_TRUE(registry_.Rescan().ok()); }

  uint32_t SerialOf(Tid tid) {
    uint32_t serial = 0;
    registry_.ForEach([&](const ThreadSlot& thread) {
      if (thread.tid.load() == tid) serial = thread.serial.load();
    });
    return serial;
  }

  // Returns the sums of all samples since the last call, by serial of the thread.
  std::map<uint32_t, ThreadTotals> DrainTotals() {
    std::map<uint32_t, ThreadTotals> totals;
    std::vector<Sample> samples = world_.Drain();
    off_thread_.Drain(world_.table().epoch(),
                      [&](const Sample& sample) { samples.push_back(sample); });
    for (const Sample& sample : samples) {
      ThreadTotals& thread = totals[sample.thread.serial()];
      thread.intervals += IntervalsOf(sample);
      thread.samples += 1;
      if (sample.kind == SampleKind::kWall) {
        const auto wall = sample.Payload<WallPayload>();
        thread.sleeping += wall.activity == ThreadActivity::kSleeping ? 1 : 0;
        thread.elapsed_ns += wall.elapsed_ns;
      }
      thread.last_ns = std::max(thread.last_ns, sample.time_ns);
    }
    return totals;
  }

  SamplingWorld world_;
  Pages filter_pages_ = std::move(Pages::Reserve(JavaThreadFilter::kRegionSize)).value();
  JavaThreadFilter java_threads_{filter_pages_.region()};
  OffThreadSamples off_thread_;
  ThreadRegistry registry_{world_.slots(), java_threads_};
};

}  // namespace jprof::test
