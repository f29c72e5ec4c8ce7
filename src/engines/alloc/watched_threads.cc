#include "engines/alloc/watched_threads.h"

#include <utility>

#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

uint32_t SerialOf(const ProfiledThread& thread) {
  return thread.serial.load(std::memory_order_relaxed);
}

}  // namespace

bool WatchedThreads::Admits(uint32_t serial) {
  const std::lock_guard lock(mutex_);
  return selected_.contains(serial) && unsampled_.erase(serial) == 0;
}

BytesReading WatchedThreads::TakeChanges() {
  const std::lock_guard lock(mutex_);
  BytesReading changes = std::exchange(changes_, {});
  changes.time_ns = MonotonicNanos();
  return changes;
}

// No thread starts or ends while the registry is locked.
BytesReading WatchedThreads::Take() {
  BytesReading reading;
  std::vector<ThreadBytes> running;
  bool is_first = true;
  registry_.ForEach([&](const ProfiledThread& thread) {
    if (std::exchange(is_first, false)) reading = TakeChanges();
    if (const auto bytes = Read(thread)) running.push_back(*bytes);
  });
  if (is_first) reading = TakeChanges();
  reading.running = std::move(running);
  return reading;
}

uint64_t WatchedThreads::Exact() {
  uint64_t running = 0;
  uint64_t others = 0;
  registry_.ForEach([&](const ProfiledThread& thread) {
    if (const auto bytes = Read(thread)) running += bytes->bytes;
    const std::lock_guard lock(mutex_);
    others = ended_ - before_;
  });
  return running + others;
}

void WatchedThreads::OnThreadStart(ProfiledThread& thread, Observed observed) {
  const std::lock_guard lock(mutex_);
  selected_.insert(SerialOf(thread));
  if (observed != Observed::kFromNow) return;
  if (const auto bytes = Read(thread)) {
    changes_.found.push_back(*bytes);
    before_ += bytes->bytes;
  }
  if (first_samples_ == FirstSamples::kSkip) unsampled_.insert(SerialOf(thread));
}

void WatchedThreads::OnThreadEnd(ProfiledThread& thread, EndedBy) {
  const std::lock_guard lock(mutex_);
  selected_.erase(SerialOf(thread));
  unsampled_.erase(SerialOf(thread));
}

void WatchedThreads::OnJavaThreadEnd(ProfiledThread& thread) {
  const std::lock_guard lock(mutex_);
  const auto bytes = Read(thread);
  if (!bytes) return;
  if (changes_.ended.size() < kMostEnded) changes_.ended.push_back(*bytes);
  ended_ += bytes->bytes;
}

std::optional<ThreadBytes> WatchedThreads::Read(const ProfiledThread& thread) const {
  const void* const jni_env = thread.jni_env.load(std::memory_order_acquire);
  if (jni_env == nullptr || !counters_.are_known()) return std::nullopt;
  return ThreadBytes{SerialOf(thread), thread.tid.load(std::memory_order_relaxed),
                     reinterpret_cast<uint64_t>(jni_env), counters_.Of(jni_env)};
}

}  // namespace jprof
