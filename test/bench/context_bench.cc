// Measures what the context of a sample costs in a handler: the context of a platform thread, and
// that of a virtual thread which is known or new.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "sigsafe/sampling/context_reader.h"

extern "C" {
extern
    __attribute__((tls_model("initial-exec"))) __thread const profiler_context* otel_thread_ctx_v1;
}

namespace jprof {
namespace {

constexpr uint32_t kSlots = 1 << 16;

struct World {
  World() {
    SetContextsAreRead();
    table.Begin(1, CallTraceIndex::In({index.data(), index.size()}, kSlots),
                {arena.data(), arena.size()});
    SetOwnContextBlock(&block);
    block.RecordAt(0)->own.span_id = 1;
    block.RecordAt(0)->own.local_root_span_id = 2;
  }

  std::vector<std::byte> arena = std::vector<std::byte>(size_t{64} << 20);
  std::vector<std::byte> index = std::vector<std::byte>(CallTraceIndex::RegionSize(kSlots));
  CallTraceHashTable table;
  FullContextMemory memory;
  ContextBlock& block = memory.block;
};

void NoContext(benchmark::State& state) {
  World world;
  otel_thread_ctx_v1 = nullptr;
  for (auto _ : state) benchmark::DoNotOptimize(PutContext(world.table, {}));
}
BENCHMARK(NoContext);

void PlatformThread(benchmark::State& state) {
  World world;
  world.block.RecordAt(0)->own.tags_size = static_cast<uint32_t>(state.range(0));
  otel_thread_ctx_v1 = &world.block.RecordAt(0)->published;
  for (auto _ : state) benchmark::DoNotOptimize(PutContext(world.table, {}));
  otel_thread_ctx_v1 = nullptr;
}
BENCHMARK(PlatformThread)->Arg(0)->Arg(40);

void VirtualThread(benchmark::State& state) {
  World world;
  world.block.virtual_thread = 77;
  world.block.current = &world.block.RecordAt(0)->published;
  static_cast<void>(TheVirtualContexts().Add(77, &world.block));
  for (auto _ : state) benchmark::DoNotOptimize(PutContext(world.table, {.virtual_thread = 77}));
  TheVirtualContexts().Remove(77);
}
BENCHMARK(VirtualThread);

void VirtualThreadWithoutContext(benchmark::State& state) {
  World world;
  for (auto _ : state) benchmark::DoNotOptimize(PutContext(world.table, {.virtual_thread = 78}));
}
BENCHMARK(VirtualThreadWithoutContext);

// Measures single reads of the context of a platform thread with `tags_size` bytes of tags, without a
// context if it is negative. The counters are percentiles, in nanoseconds, and include the time of the
// clock: about the median without a context.
void SingleReads(benchmark::State& state) {
  World world;
  if (state.range(0) >= 0) {
    world.block.RecordAt(0)->own.tags_size = static_cast<uint32_t>(state.range(0));
    otel_thread_ctx_v1 = &world.block.RecordAt(0)->published;
  }
  std::vector<int64_t> times;
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(PutContext(world.table, {}));
    times.push_back((std::chrono::steady_clock::now() - begin).count());
  }
  otel_thread_ctx_v1 = nullptr;
  std::ranges::sort(times);
  const auto percentile = [&](double share) {
    return static_cast<double>(
        times[static_cast<size_t>(share * static_cast<double>(times.size()))]);
  };
  state.counters["p50"] = percentile(0.5);
  state.counters["p99"] = percentile(0.99);
  state.counters["p99.9"] = percentile(0.999);
}
BENCHMARK(SingleReads)->Arg(-1)->Arg(0)->Arg(40)->Iterations(1'000'000);

}  // namespace
}  // namespace jprof

BENCHMARK_MAIN();
