#include "elf/loading_wait.h"

#include <dlfcn.h>

#include <atomic>
#include <utility>

#include "os/native_thread.h"
#include "os/stop_event.h"
#include "sigsafe/os/clock.h"

namespace jprof {

namespace {

// Of all waits of the process: a start has several hooks, and what one has waited for the next need
// not. Relaxed: the dynamic linker's lock orders what the number stands for.
std::atomic<uint64_t> g_ready{0};

}  // namespace

struct LoadingWait::Round {
  Round(uint64_t count, StopEvent event) : additions(count), ended(std::move(event)) {}

  const uint64_t additions;
  StopEvent ended;

  // On the thread that waits: the lock is taken and given back.
  void Run() {
    void* const self = dlopen(nullptr, RTLD_LAZY);
    if (self != nullptr) dlclose(self);
    ended.Set();
  }
};

std::optional<uint64_t> LoadingWait::Await(uint64_t additions, Nanos patience_ns) {
  if (g_ready.load(std::memory_order_relaxed) >= additions) return additions;
  const std::shared_ptr<Round> round = CurrentRound(additions);
  if (round == nullptr || !round->ended.WaitUntil(MonotonicNanos() + patience_ns)) {
    return std::nullopt;
  }
  const std::lock_guard lock(mutex_);
  if (round_ == round) round_ = nullptr;
  uint64_t ready = g_ready.load(std::memory_order_relaxed);
  while (ready < round->additions && !g_ready.compare_exchange_weak(ready, round->additions)) {
  }
  return round->additions;
}

// A round that is under way serves everybody: one thread waits, however many ask.
std::shared_ptr<LoadingWait::Round> LoadingWait::CurrentRound(uint64_t additions) {
  const std::lock_guard lock(mutex_);
  if (round_ != nullptr) return round_;
  Result<StopEvent> ended = StopEvent::Create();
  if (!ended) return nullptr;
  auto round = std::make_shared<Round>(additions, std::move(ended).value());
  Result<NativeThread> thread = NativeThread::Start("jprof-loading", [round] { round->Run(); });
  if (!thread) return nullptr;
  thread.value().Detach();
  return round_ = std::move(round);
}

}  // namespace jprof
