// Counts how often the two sides of a guard miss each other on this machine: a litmus test of
// memory orders.
//
// Each round starts with an old table that is active, and without a guard. One thread guards the
// active table, while the other one (the scanner) replaces it and looks for guards. In a miss, the
// guard finds its table still active although the scanner finds no guard, so that the table would
// be used while it is reclaimed. `misses` must be 0 for CellSeqCst. `seen_part` is the share of
// rounds in which the scanner saw the guard. If it is near 0 or 1, the threads hardly met, and few
// misses mean little.

#include <benchmark/benchmark.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace jprof {
namespace {

constexpr int kRounds = 2'000'000;

// The words that both sides access, each on a cache line of its own.
struct Words {
  alignas(64) std::atomic<uint32_t> active{0};
  alignas(64) std::atomic<uint32_t> pointer{0};  // the table that the guard protects
  alignas(64) std::atomic<uint32_t> count{0};
};

constexpr uint32_t kNothing = 0;
constexpr uint32_t kOld = 1;
constexpr uint32_t kNew = 2;

// CountReleaseAcquire: a shared count with release/acquire, published by a plain release store.
struct CountReleaseAcquire {
  static bool GuardIsValid(Words& words) {
    words.pointer.store(kOld, std::memory_order_release);
    words.count.store(1, std::memory_order_release);  // what a release increment may compile to
    return words.active.load(std::memory_order_acquire) == kOld;
  }
  static bool ScannerSeesGuard(Words& words) {
    words.active.store(kNew, std::memory_order_release);
    return words.count.load(std::memory_order_acquire) != 0 &&
           words.pointer.load(std::memory_order_acquire) == kOld;
  }
};

// CountIncremented: a shared count with an atomic increment, which on x86 is a locked instruction
// and so a full barrier. This repairs only the side of the guard.
struct CountIncremented : CountReleaseAcquire {
  static bool GuardIsValid(Words& words) {
    words.pointer.store(kOld, std::memory_order_release);
    words.count.fetch_add(1, std::memory_order_release);
    return words.active.load(std::memory_order_acquire) == kOld;
  }
};

// CellSeqCst: the orders of RefCountGuard and IsHeld.
struct CellSeqCst {
  static bool GuardIsValid(Words& words) {
    words.pointer.store(kOld, std::memory_order_seq_cst);
    return words.active.load(std::memory_order_seq_cst) == kOld;
  }
  static bool ScannerSeesGuard(Words& words) {
    words.active.exchange(kNew, std::memory_order_seq_cst);
    return words.pointer.load(std::memory_order_seq_cst) == kOld;
  }
};

// StartingLine: releases both threads at the same time in every round. The thread that arrives last
// resets the words. Waiting threads spin, because a round takes only about 100 ns.
class StartingLine {
 public:
  template <typename Reset>
  void Wait(uint32_t round, Reset reset) {
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) == 2 * round + 1) {
      reset();
      open_.store(round + 1, std::memory_order_release);
      return;
    }
    for (int spins = 0; open_.load(std::memory_order_acquire) <= round;) {
      if (++spins % 4096 == 0) std::this_thread::yield();  // the other thread is not running
    }
  }

 private:
  alignas(64) std::atomic<uint32_t> arrived_{0};
  alignas(64) std::atomic<uint32_t> open_{0};
};

void RunOnCpu(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

template <typename Order>
void StoreBuffering(benchmark::State& state) {
  if (std::thread::hardware_concurrency() < 2) {
    state.SkipWithError("needs two processors");
    return;
  }
  uint64_t misses = 0;
  uint64_t seen_by_scanner = 0;
  for (auto _ : state) {
    Words words;
    StartingLine line;
    std::vector<uint8_t> valid(kRounds);
    std::vector<uint8_t> seen(kRounds);
    const auto reset = [&words] {
      words.active.store(kOld, std::memory_order_seq_cst);
      words.pointer.store(kNothing, std::memory_order_seq_cst);
      words.count.store(0, std::memory_order_seq_cst);
    };
    std::thread guard([&] {
      RunOnCpu(0);
      for (uint32_t round = 0; round < kRounds; ++round) {
        line.Wait(round, reset);
        valid[round] = Order::GuardIsValid(words);
      }
    });
    std::thread scanner([&] {
      RunOnCpu(1);
      for (uint32_t round = 0; round < kRounds; ++round) {
        line.Wait(round, reset);
        seen[round] = Order::ScannerSeesGuard(words);
      }
    });
    guard.join();
    scanner.join();
    for (int round = 0; round < kRounds; ++round) {
      misses += valid[round] != 0 && seen[round] == 0;
      seen_by_scanner += seen[round];
    }
  }
  const auto rounds = static_cast<double>(state.iterations()) * kRounds;
  state.counters["rounds"] = rounds;
  state.counters["misses"] = static_cast<double>(misses);
  state.counters["seen_part"] = static_cast<double>(seen_by_scanner) / rounds;
}
BENCHMARK_TEMPLATE(StoreBuffering, CountReleaseAcquire)->Iterations(1)->UseRealTime();
BENCHMARK_TEMPLATE(StoreBuffering, CountIncremented)->Iterations(1)->UseRealTime();
BENCHMARK_TEMPLATE(StoreBuffering, CellSeqCst)->Iterations(1)->UseRealTime();

}  // namespace
}  // namespace jprof
