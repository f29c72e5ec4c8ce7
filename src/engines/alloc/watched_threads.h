// WatchedThreads: the threads that the recording's filter selects, and the exact counters of what
// they have allocated: read when a thread ends, on the thread itself, and of all at any time.
//
// Thread-safe; not for handlers. Locks: the registry's, then its own.
#pragma once

#include <mutex>
#include <optional>
#include <unordered_set>

#include "engines/alloc/allocated_bytes.h"
#include "engines/alloc/thread_bytes.h"
#include "threads/thread_registry.h"

namespace jprof {

class WatchedThreads final : public ThreadListener {
 public:
  enum class FirstSamples : bool { kKeep, kSkip };

  // `of_old_threads`: of those that run already when they are found.
  WatchedThreads(ThreadRegistry& registry, const AllocatedBytes& counters,
                 FirstSamples of_old_threads)
      : registry_(registry), counters_(counters), first_samples_(of_old_threads) {}

  void Begin() { registry_.AddListener(this); }
  void End() { registry_.RemoveListener(this); }

  // A sample of the thread. False: it is not selected, or its first sample is not to be used.
  bool Admits(uint32_t serial);

  // The bytes that all threads have allocated since Begin, or since they were found.
  uint64_t Exact();

  // What has changed since the last call of either function; the second has all running threads.
  BytesReading TakeChanges();
  BytesReading Take();

 private:
  static constexpr size_t kMostEnded = size_t{1} << 18;  // between two drains

  void OnThreadStart(ProfiledThread& thread, Observed observed) override;
  void OnThreadEnd(ProfiledThread& thread, EndedBy) override;
  void OnJavaThreadEnd(ProfiledThread& thread) override;
  // nullopt: not attached, or not known.
  std::optional<ThreadBytes> Read(const ProfiledThread& thread) const;

  ThreadRegistry& registry_;
  const AllocatedBytes& counters_;
  const FirstSamples first_samples_;
  std::mutex mutex_;                       // guards all below
  std::unordered_set<uint32_t> selected_;  // by serial, as the next
  std::unordered_set<uint32_t> unsampled_;
  BytesReading changes_;
  uint64_t before_ = 0;  // bytes of threads when they were found
  uint64_t ended_ = 0;   // bytes of those that have ended
};

}  // namespace jprof
