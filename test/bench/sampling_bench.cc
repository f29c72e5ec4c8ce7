// Measures what a sample costs after its stack has been walked: the guard, and the way to the
// recorder. The storage of stacks is measured by traces_bench.cc.

#include <benchmark/benchmark.h>

#include "os/pages.h"
#include "sigsafe/memory/ref_count_guard.h"
#include "sigsafe/sampling/sample_blocks.h"

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

void PushAndDrain(benchmark::State& state) {
  constexpr size_t kBlocks = 64;
  const Pages pages = Pages::Reserve(SampleBlocks::RegionSize(kBlocks)).value();
  SampleBlocks blocks(pages.region(), kBlocks);
  ThreadSlot thread{};
  Sample sample{};
  sample.trace = CallTraceId{uint64_t{1} << 32};
  for (auto _ : state) {
    for (uint32_t i = 0; i < SampleBlock::CapacityFor(SampleKind::kCpu); ++i) {
      blocks.Push(thread, 0, sample);
    }
    blocks.Drain(1, [](const Sample& each) { benchmark::DoNotOptimize(each.weight); });
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) *
                          SampleBlock::CapacityFor(SampleKind::kCpu));
}
BENCHMARK(PushAndDrain);

}  // namespace
}  // namespace jprof

BENCHMARK_MAIN();
