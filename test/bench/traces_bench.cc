// Measures the storage of known stacks and of new ones, on one to many threads, and what a rotation
// costs.
#include <benchmark/benchmark.h>

#include <memory>
#include <utility>
#include <vector>

#include "call_traces/call_trace_rotation.h"
#include "os/pages.h"

namespace jprof {
namespace {

constexpr uint32_t kMaxThreads = 64;

// World: one storage of stacks for all threads of a benchmark, and a thread slot for each of them.
struct World {
  explicit World(size_t memory_bytes) {
    for (uint32_t i = 0; i < kMaxThreads; ++i) records.Claim(Tid{static_cast<int32_t>(i + 1)});
    rotation = std::move(CallTraceRotation::Create(storage, records, memory_bytes)).value();
    rotation->Activate();
  }
  ~World() { rotation->Deactivate(); }

  CallTraceId Put(int thread, const Stack& stack) {
    const auto table = storage.Enter(records.At(static_cast<uint32_t>(thread))->guards);
    return table->Put(stack);
  }

  void Rotate() const {
    rotation->ProcessCallTraces([](uint32_t) {}, [] {});
  }

  Pages pages = std::move(Pages::Reserve(ThreadSlots::kRegionSize)).value();
  ThreadSlots records{pages.region()};
  CallTraceStorage storage;
  std::unique_ptr<CallTraceRotation> rotation;
};

std::unique_ptr<World> g_world;

std::vector<Frame> FramesOf(uint64_t seed, int64_t depth) {
  std::vector<Frame> frames;
  for (int64_t i = 0; i < depth; ++i) {
    frames.push_back({0x7f0000001000 + seed * 4096 + static_cast<uint64_t>(i) * 8,
                      static_cast<int32_t>(i), FrameKind::kJava});
  }
  return frames;
}

Stack StackOf(const std::vector<Frame>& frames) {
  return {frames.data(), static_cast<uint32_t>(frames.size()), false};
}

void DepthsAndThreads(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgsProduct({{10, 50, 200}});
  for (const int threads : {1, 2, 4, 8, static_cast<int>(kMaxThreads)}) {
    benchmark->Threads(threads);
  }
}

// Puts a stack that is already stored, like nearly every stack of a sample. Includes the guard.
void PutOfAKnownStack(benchmark::State& state) {
  if (state.thread_index() == 0) g_world = std::make_unique<World>(size_t{256} << 20);
  const std::vector<Frame> frames =
      FramesOf(static_cast<uint64_t>(state.thread_index()), state.range(0));
  const Stack stack = StackOf(frames);
  int64_t dropped = 0;
  for (auto _ : state) {
    const CallTraceId id = g_world->Put(state.thread_index(), stack);
    dropped += id == kDroppedCallTrace ? 1 : 0;
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()));
  state.counters["dropped"] = static_cast<double>(dropped);
  if (state.thread_index() == 0) g_world.reset();
}
BENCHMARK(PutOfAKnownStack)->Apply(DepthsAndThreads)->UseRealTime();

// The number of new stacks, which is fixed so that memory stays bounded.
constexpr int64_t kNewStacks = 200'000;

void PutOfANewStack(benchmark::State& state) {
  if (state.thread_index() == 0) g_world = std::make_unique<World>(size_t{8} << 30);
  std::vector<Frame> frames = FramesOf(static_cast<uint64_t>(state.thread_index()), state.range(0));
  const Stack stack = StackOf(frames);
  uint64_t seed = static_cast<uint64_t>(state.thread_index()) << 32;
  int64_t dropped = 0;
  for (auto _ : state) {
    frames.front().id = ++seed;
    const CallTraceId id = g_world->Put(state.thread_index(), stack);
    dropped += id == kDroppedCallTrace ? 1 : 0;
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()));
  state.counters["dropped"] = static_cast<double>(dropped);
  if (state.thread_index() == 0) g_world.reset();
}

BENCHMARK(PutOfANewStack)
    ->Apply(DepthsAndThreads)
    ->Iterations(kNewStacks / kMaxThreads)
    ->UseRealTime();

// Measures a rotation, from the request until the old table is free again. Handlers never wait for
// it.
void Rotation(benchmark::State& state) {
  World world(size_t{4} << 30);
  std::vector<Frame> frames = FramesOf(0, 50);
  const Stack stack = StackOf(frames);
  for (auto _ : state) {
    state.PauseTiming();
    for (int64_t i = 0; i < state.range(0); ++i) {
      frames.front().id = static_cast<uint64_t>(i);
      world.Put(0, stack);
    }
    state.ResumeTiming();
    world.Rotate();
  }
}
BENCHMARK(Rotation)->Arg(1'000)->Arg(50'000)->Arg(500'000)->UseRealTime()->Unit(
    benchmark::kMillisecond);

}  // namespace
}  // namespace jprof

BENCHMARK_MAIN();
