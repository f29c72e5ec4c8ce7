// Measures what the pthread_create hook adds to the life of a thread. Runs without and with the
// hook alternate in pairs, so that other load of the machine affects both alike. Prints the median
// of the differences within the pairs.
//
//   build/bin/thread_creation_bench [PAIRS [THREADS]]
#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "sigsafe/os/clock.h"
#include "threads/creation_wrappers.h"
#include "threads/pthread_hook.h"

namespace jprof {
namespace {

int (*g_create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) = pthread_create;

// Idle: an observer that does nothing, so that only the hook itself is measured.
class Idle : public NativeThreadObserver {
 public:
  void OnNativeThreadStart(Nanos) override {}
  void OnNativeThreadEnd() override {}
};

// Creates a std::thread and joins it. The time includes creation, start, end and join.
void StdThread() {
  std::thread([] {}).join();
}

// Creates and joins a thread without using the heap, so that the hook's own use of the heap shows.
void PlainThread() {
  pthread_t thread;
  const auto nothing = [](void* argument) { return argument; };
  const int code = g_create(&thread, nullptr, nothing, nullptr);
  if (code != 0) abort();
  pthread_join(thread, nullptr);
}

double NanosAThread(void (*run_one)(), int threads) {
  const Nanos begin = MonotonicNanos();
  for (int i = 0; i < threads; ++i) run_one();
  return static_cast<double>(MonotonicNanos() - begin) / threads;
}

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void Measure(const char* what, void (*run_one)(), std::initializer_list<int> signals, int pairs,
             int threads) {
  Idle observer;
  std::vector<double> without;
  std::vector<double> added;
  NanosAThread(run_one, threads);  // warms up: allocates stacks and arenas
  for (int pair = 0; pair < pairs; ++pair) {
    without.push_back(NanosAThread(run_one, threads));
    const auto hook = std::move(PthreadHook::Install(&observer, signals)).value();
    // The benchmark calls the wrapper directly, because this program's import slot is not hooked.
    const auto plain_create = g_create;
    g_create = reinterpret_cast<decltype(g_create)>(CreationWrappers::OfProcess().value()->For(
        static_cast<size_t>(CreationCall::kPthreadCreate), reinterpret_cast<void*>(plain_create)));
    added.push_back(NanosAThread(run_one, threads) - without.back());
    g_create = plain_create;
  }
  printf("%-40s without %.2f us, added %+.3f us a thread (median of %d pairs of %d)\n", what,
         Median(without) / 1000, Median(added) / 1000, pairs, threads);
}

}  // namespace
}  // namespace jprof

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? static_cast<int>(strtol(argv[1], nullptr, 10)) : 40;
  const int threads = argc > 2 ? static_cast<int>(strtol(argv[2], nullptr, 10)) : 2000;
  for (const auto& [name, run_one] : {std::pair{"std::thread", &jprof::StdThread},
                                      std::pair{"pthread_create", &jprof::PlainThread}}) {
    printf("%s\n", name);
    jprof::Measure("  no signal blocked", run_one, {}, pairs, threads);
    jprof::Measure("  SIGPROF, SIGVTALRM blocked", run_one, {SIGPROF, SIGVTALRM}, pairs, threads);
  }
}
