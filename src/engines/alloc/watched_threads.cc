#include "engines/alloc/watched_threads.h"

#include <utility>

#include "sigsafe/os/clock.h"
#include "sigsafe/threads/current_thread.h"

namespace jprof {
namespace {

uint32_t SerialOf(const ProfiledThread& thread) {
  return thread.serial.load(std::memory_order_relaxed);
}

SampledThread ThreadOf(const ProfiledThread& thread) {
  return SampledThread::Platform(SerialOf(thread), thread.tid.load(std::memory_order_relaxed));
}

}  // namespace

uint32_t WatchedThreads::NumberOf(const void* jni_env) {
  const auto [entry, is_new] = numbers_.try_emplace(jni_env, last_number_ + 1);
  if (is_new) ++last_number_;
  return entry->second;
}

WatchedThreads::Admission WatchedThreads::Admit(const void* jni_env, uint32_t serial) {
  const std::lock_guard lock(mutex_);
  if (serial != 0 && !selected_.contains(serial)) return {0, false};
  const uint32_t number = NumberOf(jni_env);
  return {number, unsampled_.erase(number) != 0};
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
    const std::lock_guard lock(mutex_);
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
    const std::lock_guard lock(mutex_);
    if (const auto bytes = Read(thread)) running += bytes->bytes;
    others = ended_ - before_;
  });
  return running + others;
}

void WatchedThreads::OnThreadStart(ProfiledThread& thread, Observed observed) {
  const std::lock_guard lock(mutex_);
  selected_.insert(SerialOf(thread));
  if (observed != Observed::kFromNow) return;
  const auto bytes = Read(thread);
  if (!bytes) return;
  changes_.found.push_back(*bytes);
  before_ += bytes->bytes;
  if (first_samples_ == FirstSamples::kForThemselves) unsampled_.insert(bytes->number);
}

void WatchedThreads::OnThreadEnd(ProfiledThread& thread, EndedBy) {
  const std::lock_guard lock(mutex_);
  selected_.erase(SerialOf(thread));
}

void WatchedThreads::OnJavaThreadEnd(const void* jni_env) {
  if (jni_env == nullptr || !counters_.are_known()) return;
  const std::lock_guard lock(mutex_);
  const uint64_t bytes = counters_.Of(jni_env);
  const uint32_t number = NumberOf(jni_env);
  numbers_.erase(jni_env);
  unsampled_.erase(number);
  const ProfiledThread* const thread = CurrentThread();
  if (changes_.ended.size() < kMostEnded) {
    changes_.ended.push_back({number, thread == nullptr ? SampledThread() : ThreadOf(*thread),
                              reinterpret_cast<uint64_t>(jni_env), bytes});
  }
  ended_ += bytes;
}

std::optional<ThreadBytes> WatchedThreads::Read(const ProfiledThread& thread) {
  const void* const jni_env = thread.jni_env.load(std::memory_order_acquire);
  if (jni_env == nullptr || !counters_.are_known()) return std::nullopt;
  return ThreadBytes{NumberOf(jni_env), ThreadOf(thread), reinterpret_cast<uint64_t>(jni_env),
                     counters_.Of(jni_env)};
}

}  // namespace jprof
