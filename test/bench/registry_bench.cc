// Measures what many threads cost the profiler: the first scan and the creation of timers at a
// start, the periodic looks of an idle task watcher, and the life of a thread in the registry with
// its CPU timer. Runs without a JVM.
//
//   build/bin/registry_bench [THREADS]
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "engines/cpu/cpu_engine.h"
#include "os/native_thread.h"
#include "os/pages.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/sampling_state.h"
#include "threads/task_watcher.h"

namespace jprof {
namespace {

constexpr int kLives = 20'000;
constexpr Nanos kIdleNs = 3 * kNanosPerSecond;

void StartSleepers(int count) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, size_t{64} * 1024);
  for (int i = 0; i < count; ++i) {
    pthread_t thread;
    const auto sleep = [](void* argument) -> void* {
      while (pause() != 0) {
      }
      return argument;
    };
    if (pthread_create(&thread, &attributes, sleep, nullptr) != 0) abort();
  }
}

template <typename Body>
void Time(const char* what, int count, Body&& body) {
  const Nanos begin_ns = MonotonicNanos();
  body();
  const auto took_ns = static_cast<double>(MonotonicNanos() - begin_ns);
  printf("%-42s %9.3f ms %9.3f us each\n", what, took_ns / 1e6, took_ns / 1e3 / count);
}

void Measure(int threads) {
  const Pages filter_pages = std::move(Pages::Reserve(JavaThreadFilter::kRegionSize)).value();
  JavaThreadFilter java_threads(filter_pages.region());
  SlotReserve& reserve = *SlotReserve::Create().value();
  SetThreadSlots(&reserve.slots());
  auto& registry = *new ThreadRegistry(reserve.slots(), java_threads);
  StartSleepers(threads);
  Time("populate records", threads, [&] { reserve.KeepAhead(); });
  Time("first scan", threads, [&] { static_cast<void>(registry.Rescan()); });
  OffThreadSamples outside;
  std::unique_ptr<Engine> cpu;
  Time("CPU timers", threads, [&] {
    cpu = std::make_unique<CpuEngine>(registry, outside,
                                      CpuChoice{CpuTrigger::kThreadTimers, 10'000'000, ""});
    static_cast<void>(cpu->Start());
  });
  for (const auto& [what, identity] :
       {std::pair{"scan that checks identities, first", Identity::kChecked},
        {"scan that checks identities", Identity::kChecked},
        {"scan", Identity::kTrusted}}) {
    Time(what, threads, [&, check = identity] {
      static_cast<void>(registry.Rescan(PrimingPath::kWatcher, check));
    });
  }
  Time("lives, one after another", kLives, [&] {
    const auto lives = NativeThread::Start("lives", [&] {
      for (int i = 0; i < kLives; ++i) {
        registry.OnNativeThreadStart(MonotonicNanos());
        registry.OnNativeThreadEnd();
      }
    });
  });
  const auto watcher = std::move(TaskWatcher::Start(registry, &reserve)).value();
  usleep(kIdleNs / 2000);  // lets the watcher finish its initial work
  const Nanos before_ns = ReadClock(CLOCK_PROCESS_CPUTIME_ID);
  usleep(kIdleNs / 1000);
  const auto used_ns = static_cast<double>(ReadClock(CLOCK_PROCESS_CPUTIME_ID) - before_ns);
  printf("%-42s %9.4f %% of a core\n", "idle watcher",
         100 * used_ns / static_cast<double>(kIdleNs));
}

}  // namespace
}  // namespace jprof

int main(int argc, char** argv) {
  jprof::Measure(argc > 1 ? static_cast<int>(strtol(argv[1], nullptr, 10)) : 5000);
  fflush(stdout);
  _exit(0);  // does not wait for the sleepers
}
