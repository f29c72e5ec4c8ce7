// Measures what native frames cost: a step whose table is in the cache, a step in a table far
// larger than the cache, and the making of all tables of this process.
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <glob.h>
#include <ucontext.h>

#include <cstdlib>
#include <vector>

#include "os/task_list.h"
#include "sigsafe/native/frame_lookup.h"
#include "sigsafe/native/native_cursor.h"
#include "unwind/unwind_compiler.h"
#include "unwind/unwind_publisher.h"

namespace jprof {
namespace {

uint32_t WalkFrom(const ucontext_t* context, const StackBounds& bounds) {
  const NativeRegisters start = NativeRegistersOf(context);
  StackMemory memory(start.sp, bounds, LoadFaults::kFatal);
  NativeCursor cursor(&NativeCode::OfProcess(), &memory, start, context);
  uint32_t frames = 1;
  while (cursor.Step() == StepOutcome::kFrame) ++frames;
  return frames;
}

// Walks the stack from within `depth` nested calls of qsort. Each call has several frames of the C
// library.
void WalkUnder(int depth, benchmark::State& state, const StackBounds& bounds) {
  static thread_local benchmark::State* current;
  static thread_local int left;
  static thread_local StackBounds stack;
  current = &state;
  left = depth;
  stack = bounds;
  struct Nested {
    static int Compare(const void*, const void*) {
      if (left-- > 0) {
        int pair[2] = {2, 1};
        qsort(pair, 2, sizeof(int), Compare);
        return 0;
      }
      ucontext_t context;
      getcontext(&context);
      uint64_t frames = 0;
      for (auto _ : *current) frames += WalkFrom(&context, stack);
      current->counters["frames"] =
          static_cast<double>(frames) / static_cast<double>(current->iterations());
      current->counters["s/frame"] = benchmark::Counter(
          static_cast<double>(frames), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
      return 0;
    }
  };
  Nested::Compare(nullptr, nullptr);
}

void BM_StepWithBounds(benchmark::State& state) {
  UnwindPublisher::Update();
  WalkUnder(static_cast<int>(state.range(0)), state, OwnStackBounds());
}
BENCHMARK(BM_StepWithBounds)->Arg(8)->Arg(100);

void BM_StepWithoutBounds(benchmark::State& state) {
  UnwindPublisher::Update();
  WalkUnder(static_cast<int>(state.range(0)), state, {});
}
BENCHMARK(BM_StepWithoutBounds)->Arg(8)->Arg(100);

const Library* LoadLibjvm(LibraryMap* loaded) {
  glob_t matches = {};
  glob("/usr/lib/jvm/*/lib/server/libjvm.so", 0, nullptr, &matches);
  if (matches.gl_pathc == 0) return nullptr;
  void* library = dlopen(matches.gl_pathv[0], RTLD_LAZY);
  globfree(&matches);
  if (library == nullptr) return nullptr;
  UnwindPublisher::Update();
  *loaded = LibraryMap::Snapshot();
  const auto known = reinterpret_cast<uint64_t>(dlsym(library, "JNI_CreateJavaVM"));
  UnwindRule rule;
  while (!NativeCode::OfProcess().WantsTables()) {
    NativeCode::OfProcess().FindRule(known, LoadFaults::kCaught, &rule);
  }
  UnwindPublisher::Update();
  return loaded->Find(Pc{known});
}

// Calls `find` for addresses all over libjvm, where the caches help little.
void LookUpAllOverLibjvm(benchmark::State& state,
                         bool (*find)(const Library& libjvm, uint64_t pc, UnwindRule* rule)) {
  LibraryMap loaded({});
  const Library* libjvm = LoadLibjvm(&loaded);
  if (libjvm == nullptr) return state.SkipWithError("no libjvm.so");
  const AddressRange code = libjvm->executable.front();
  uint64_t pc = code.begin;
  for (auto _ : state) {
    pc = code.begin + (pc * 6364136223846793005 + 1442695040888963407) % (code.end - code.begin);
    UnwindRule rule;
    benchmark::DoNotOptimize(find(*libjvm, pc, &rule));
    benchmark::DoNotOptimize(rule);
  }
}

void BM_ReadAllOverLibjvm(benchmark::State& state) {
  LookUpAllOverLibjvm(state, [](const Library& libjvm, uint64_t pc, UnwindRule* rule) {
    return FindRuleInLibrary(libjvm.frame_header.begin, pc, LoadFaults::kCaught, rule);
  });
}
BENCHMARK(BM_ReadAllOverLibjvm);

void BM_LookUpAllOverLibjvm(benchmark::State& state) {
  LookUpAllOverLibjvm(state, [](const Library&, uint64_t pc, UnwindRule* rule) {
    return NativeCode::OfProcess().FindRule(pc, LoadFaults::kCaught, rule);
  });
}
BENCHMARK(BM_LookUpAllOverLibjvm);

void BM_CompileLibjvm(benchmark::State& state) {
  LibraryMap loaded({});
  const Library* libjvm = LoadLibjvm(&loaded);
  if (libjvm == nullptr) return state.SkipWithError("no libjvm.so");
  for (auto _ : state) {
    const auto tables = CompileUnwindTables(*libjvm, IndexFrames(*libjvm).value());
    const BuiltTable& built = tables.value().front();
    state.counters["rows"] = static_cast<double>(built.rows);
    state.counters["bytes"] = static_cast<double>(built.bytes);
  }
}
BENCHMARK(BM_CompileLibjvm)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace jprof

BENCHMARK_MAIN();
