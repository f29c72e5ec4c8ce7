// What a sample costs after its stack has been walked: guard, storage of a stack that is known,
// ring.

#include <benchmark/benchmark.h>

#include <vector>

#include "os/pages.h"
#include "sigsafe/memory/ref_count_guard.h"
#include "sigsafe/sampling/sample_ring.h"
#include "sigsafe/traces/call_trace_storage.h"

namespace jprof {
namespace {

void GuardEnterAndLeave(benchmark::State& state) {
  GuardCells cells{};
  int resource = 0;
  const std::atomic<int*> active{&resource};
  for (auto _ : state) {
    const RefCountGuard<int> guard(cells, active);
    benchmark::DoNotOptimize(guard.get());
  }
}
BENCHMARK(GuardEnterAndLeave);

void PutOfAKnownStack(benchmark::State& state) {
  constexpr size_t kSlotBytes = size_t{1} << 16;
  constexpr size_t kArenaBytes = size_t{1} << 20;
  const Pages slots = Pages::Reserve(kSlotBytes).value();
  const Pages arena = Pages::Reserve(kArenaBytes).value();
  CallTraceStorage storage(1, slots.region(), arena.region());
  std::vector<Frame> frames;
  for (int64_t i = 0; i < state.range(0); ++i) {
    frames.push_back(
        {0x7f0000001000 + static_cast<uint64_t>(i) * 8, static_cast<int32_t>(i), FrameKind::kJava});
  }
  const Stack stack{frames.data(), static_cast<uint32_t>(frames.size()), false};
  for (auto _ : state) benchmark::DoNotOptimize(storage.Put(stack));
}
BENCHMARK(PutOfAKnownStack)->Arg(10)->Arg(50)->Arg(200);

void PushAndDrain(benchmark::State& state) {
  const Pages pages = Pages::Reserve(SampleRing::kRegionSize).value();
  SampleRing ring(pages.region());
  for (auto _ : state) {
    ring.Push(Sample{});
    ring.Drain([](const Sample& sample) { benchmark::DoNotOptimize(sample.intervals); });
  }
}
BENCHMARK(PushAndDrain);

}  // namespace
}  // namespace jprof

BENCHMARK_MAIN();
