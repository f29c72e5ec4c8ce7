#include "engines/alloc/watched_threads.h"

#include <utility>

#include "sigsafe/os/clock.h"
#include "sigsafe/threads/current_thread.h"

namespace jprof {
namespace {

// Reads a word that another thread might write. acquire: no later load moves before this one, so
// that AllocatedBytes::Of reads its words in the order of its code.
uint64_t Word(uint64_t address) {
  return __atomic_load_n(reinterpret_cast<const uint64_t*>(address), __ATOMIC_ACQUIRE);
}

uint32_t SerialOf(const ThreadSlot& thread) {
  return thread.serial.load(std::memory_order_relaxed);
}

SampledThread ThreadOf(const ThreadSlot& thread) {
  return SampledThread::Platform(SerialOf(thread), thread.tid.load(std::memory_order_relaxed));
}

}  // namespace

// Adds the used part of the TLAB to the counter. A thread that gets a new TLAB first adds the bytes
// of the old TLAB to its counter, then sets the bounds of the new one (jdk-17+35
// src/hotspot/share/gc/shared/threadLocalAllocBuffer.cpp, retire). A reading that comes between
// these two steps is repeated.
uint64_t AllocatedBytes::Of(const void* jni_env) const {
  constexpr int kTries = 16;
  const uint64_t thread = JavaThreadOf(jni_env, layout_.env_offset);
  const uint64_t counter = thread + layout_.thread_allocated_bytes.offset;
  uint64_t bytes = 0;
  for (int i = 0; i < kTries; ++i) {
    const uint64_t before = Word(counter);
    const uint64_t start = Word(thread + layout_.tlab_start.offset);
    const uint64_t top = Word(thread + layout_.tlab_top.offset);
    const bool is_whole = Word(thread + layout_.tlab_start.offset) == start && top >= start;
    bytes = before + (is_whole ? top - start : 0);
    if (is_whole && Word(counter) == before) break;
  }
  return bytes;
}

// A local reference points to the object's address. With ZGC, that address has the same colour bits
// as the TLAB's bounds, so the address and the bounds can be compared.
bool AllocatedBytes::IsOutsideTlab(const void* jni_env, const void* object) const {
  if (!are_known()) return false;
  const uint64_t thread = JavaThreadOf(jni_env, layout_.env_offset);
  const uint64_t address = Word(reinterpret_cast<uint64_t>(object));
  return address < Word(thread + layout_.tlab_start.offset) ||
         address >= Word(thread + layout_.tlab_top.offset);
}

WatchedThreads::Attached& WatchedThreads::AttachedBy(const void* jni_env) {
  const auto [entry, is_new] = attached_.try_emplace(jni_env);
  if (is_new) entry->second = {++last_number_, rate_.factor()};
  return entry->second;
}

WatchedThreads::Admission WatchedThreads::Admit(const void* jni_env, uint32_t serial,
                                                uint16_t next_factor, bool is_carrier) {
  const std::lock_guard lock(mutex_);
  if (serial != 0 && !selected_.contains(serial)) return {0, 0};
  Attached& thread = AttachedBy(jni_env);
  thread.is_carrier |= is_carrier;
  return {thread.number, std::exchange(thread.interval_factor, next_factor)};
}

BytesReading WatchedThreads::TakeChanges() {
  const std::lock_guard lock(mutex_);
  BytesReading changes = std::exchange(changes_, {});
  changes.time_ns = MonotonicNanos();
  return changes;
}

// Takes the changes while the registry's lock is held, so that no thread starts or ends in between.
BytesReading WatchedThreads::Take() {
  BytesReading reading;
  std::vector<ThreadBytes> running;
  bool is_first = true;
  registry_.ForEach([&](const ThreadSlot& thread) {
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
  registry_.ForEach([&](const ThreadSlot& thread) {
    const std::lock_guard lock(mutex_);
    if (const auto bytes = Read(thread)) running += bytes->bytes;
    others = bytes_of_ended_ - bytes_when_found_;
  });
  return running + others;
}

void WatchedThreads::OnThreadStart(ThreadSlot& thread, Observed observed) {
  const std::lock_guard lock(mutex_);
  selected_.insert(SerialOf(thread));
  if (observed != Observed::kFromNow) return;
  const auto bytes = Read(thread);
  if (!bytes) return;
  changes_.found.push_back(*bytes);
  bytes_when_found_ += bytes->bytes;
  // The factor of a running thread's gap is known only if the factor has never changed. If the
  // factor is not known, or if first samples stand only for themselves, the thread's next sample
  // stands for its own object alone.
  if (first_samples_ == FirstSamples::kForOthers && !rate_.has_changed()) return;
  AttachedBy(thread.jni_env.load(std::memory_order_acquire)).interval_factor = 0;
}

void WatchedThreads::OnThreadEnd(ThreadSlot& thread, const EndOfThread&) {
  const std::lock_guard lock(mutex_);
  selected_.erase(SerialOf(thread));
}

void WatchedThreads::OnJavaThreadStart(const void* jni_env) {
  const std::lock_guard lock(mutex_);
  AttachedBy(jni_env);
}

void WatchedThreads::OnJavaThreadEnd(const void* jni_env) {
  if (jni_env == nullptr) return;
  const std::lock_guard lock(mutex_);
  const Attached attached = AttachedBy(jni_env);
  attached_.erase(jni_env);
  if (!counters_.are_known()) return;
  const uint64_t bytes = counters_.Of(jni_env);
  const ThreadSlot* const thread = CurrentThread();
  if (changes_.ended.size() < kMostEnded) {
    changes_.ended.push_back({.number = attached.number,
                              .thread = thread == nullptr ? SampledThread() : ThreadOf(*thread),
                              .address = reinterpret_cast<uint64_t>(jni_env),
                              .bytes = bytes,
                              .is_carrier = attached.is_carrier});
  }
  bytes_of_ended_ += bytes;
}

std::optional<ThreadBytes> WatchedThreads::Read(const ThreadSlot& thread) {
  const void* const jni_env = thread.jni_env.load(std::memory_order_acquire);
  if (jni_env == nullptr || !counters_.are_known()) return std::nullopt;
  const Attached& attached = AttachedBy(jni_env);
  return ThreadBytes{.number = attached.number,
                     .thread = ThreadOf(thread),
                     .address = reinterpret_cast<uint64_t>(jni_env),
                     .bytes = counters_.Of(jni_env),
                     .is_carrier = attached.is_carrier};
}

}  // namespace jprof
