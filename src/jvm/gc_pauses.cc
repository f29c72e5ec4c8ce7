#include "jvm/gc_pauses.h"

#include <atomic>
#include <cstring>
#include <string>

#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

constexpr char kNoCause[] = "No GC";
constexpr char kConcurrent[] = "concurrent";
constexpr int kGenerations = 2;
constexpr int kSpaces = 4;
constexpr int kCollectors = 3;

// Reads a counter that the VM's threads write. Before C++26 there is no atomic_ref of a const
// object, so the const is cast away.
int64_t ReadCounter(const int64_t* counter) {
  return std::atomic_ref<int64_t>(const_cast<int64_t&>(*counter)).load(std::memory_order_relaxed);
}

int64_t Sum(const std::vector<const int64_t*>& numbers) {
  if (numbers.empty()) return -1;
  int64_t sum = 0;
  for (const int64_t* number : numbers) sum += ReadCounter(number);
  return sum;
}

}  // namespace

// All HotSpot collectors have counters with these names (OpenJDK jdk-25+36
// src/hotspot/share/gc/shared/generationCounters.cpp, hSpaceCounters.cpp, collectorCounters.cpp).
GcPauses::GcPauses(const PerfCounters& counters) {
  for (int generation = 0; generation < kGenerations; ++generation) {
    const std::string prefix = "sun.gc.generation." + std::to_string(generation);
    if (const int64_t* capacity = counters.Number(prefix + ".capacity")) {
      committed_.push_back(capacity);
    }
    for (int space = 0; space < kSpaces; ++space) {
      const std::string name = prefix + ".space." + std::to_string(space) + ".used";
      if (const int64_t* used = counters.Number(name)) used_.push_back(used);
    }
  }
  for (int i = 0; i < kCollectors; ++i) {
    const std::string prefix = "sun.gc.collector." + std::to_string(i);
    const int64_t* invocations = counters.Number(prefix + ".invocations");
    const char* name = counters.Text(prefix + ".name");
    if (invocations != nullptr && name != nullptr) {
      collectors_.push_back({invocations, name, *invocations, i});
    }
  }
  cause_ = counters.Text("sun.gc.cause");
  last_cause_ = counters.Text("sun.gc.lastCause");
}

void GcPauses::OnStart() { start_ns_ = MonotonicNanos(); }

void GcPauses::OnFinish() {
  const uint64_t number = written_.load(std::memory_order_relaxed);
  const bool is_full = number - free_.load(std::memory_order_acquire) == kCapacity;
  if (start_ns_ == 0 || is_full) {
    missed_.fetch_add(is_full ? 1 : 0, std::memory_order_relaxed);
    return;
  }
  GcPause& pause = pauses_[number % kCapacity];
  pause = {};
  pause.start_ns = start_ns_;
  pause.end_ns = MonotonicNanos();
  start_ns_ = 0;
  ReadHeap(pause);
  written_.store(number + 1, std::memory_order_release);
}

void GcPauses::ReadHeap(GcPause& pause) {
  for (Collector& collector : collectors_) {
    const int64_t invocations = ReadCounter(collector.invocations);
    if (invocations != collector.seen) {
      pause.collector = collector.name;
      pause.collector_number = collector.number;
    }
    collector.seen = invocations;
  }
  if (pause.collector == nullptr) return;
  pause.used_bytes = Sum(used_);
  used_bytes_.store(pause.used_bytes, std::memory_order_relaxed);
  pause.committed_bytes = Sum(committed_);
  ReadCause(pause);
}

// When JVMTI reports the end of a pause, the pause's cause is still in sun.gc.cause (JDK 25), or
// has moved to sun.gc.lastCause (JDK 17). Pauses of a concurrent cycle have no cause: both counters
// then show the cause of an earlier pause, and are not read.
void GcPauses::ReadCause(GcPause& pause) const {
  if (cause_ == nullptr || last_cause_ == nullptr) return;
  if (std::strstr(pause.collector, kConcurrent) != nullptr) return;
  const bool is_over = std::strncmp(cause_, kNoCause, GcPause::kCauseSize) == 0;
  std::strncpy(pause.cause.data(), is_over ? last_cause_ : cause_, GcPause::kCauseSize - 1);
}

}  // namespace jprof
