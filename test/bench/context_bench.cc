// Measures what the context of a sample costs in a handler: the context of a platform thread, and
// that of a virtual thread which is known or new.
#include <benchmark/benchmark.h>

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

}  // namespace
}  // namespace jprof

BENCHMARK_MAIN();
