// What the pthread_create hook adds to a thread's life: pairs of runs without and with it, so that
// what else the machine does hits both alike. Prints the median of the pairs' differences.
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

// Nothing: what remains is the hook itself.
class Idle : public NativeThreadObserver {
 public:
  void OnNativeThreadStart(Nanos) override {}
  void OnNativeThreadEnd() override {}
};

// One after another: creation, start, end and join of each are in the figure.
void StdThread() {
  std::thread([] {}).join();
}

// A routine that uses no memory of the heap, so that what the hook does with it shows.
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
  NanosAThread(run_one, threads);  // stacks and arenas are there from now on
  for (int pair = 0; pair < pairs; ++pair) {
    without.push_back(NanosAThread(run_one, threads));
    const auto hook = std::move(PthreadHook::Install(&observer, signals)).value();
    // Our own slot is not hooked: the wrapper is called in its place.
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
