#include "threads/loading_wait.h"

#include <dlfcn.h>

#include <chrono>
#include <condition_variable>
#include <utility>

#include "os/native_thread.h"

namespace jprof {

struct LoadingWait::Round {
  explicit Round(uint64_t count) : additions(count) {}

  const uint64_t additions;
  std::mutex mutex;
  std::condition_variable ended;
  bool has_ended = false;  // guarded by mutex

  // On the thread that waits: the lock is taken and given back.
  void Run() {
    void* const self = dlopen(nullptr, RTLD_LAZY);
    if (self != nullptr) dlclose(self);
    {
      const std::lock_guard lock(mutex);
      has_ended = true;
    }
    ended.notify_all();
  }

  bool Await(Nanos patience_ns) {
    std::unique_lock lock(mutex);
    return ended.wait_for(lock, std::chrono::nanoseconds(patience_ns),
                          [this] { return has_ended; });
  }
};

std::optional<uint64_t> LoadingWait::Await(uint64_t additions, Nanos patience_ns) {
  const std::shared_ptr<Round> round = CurrentRound(additions);
  if (round == nullptr || !round->Await(patience_ns)) return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (round_ == round) round_ = nullptr;
  return round->additions;
}

// A round that is under way serves everybody: one thread waits, however many ask.
std::shared_ptr<LoadingWait::Round> LoadingWait::CurrentRound(uint64_t additions) {
  const std::lock_guard lock(mutex_);
  if (round_ != nullptr) return round_;
  auto round = std::make_shared<Round>(additions);
  Result<NativeThread> thread = NativeThread::Start("jprof-loading", [round] { round->Run(); });
  if (!thread) return nullptr;
  thread.value().Detach();
  return round_ = std::move(round);
}

}  // namespace jprof
