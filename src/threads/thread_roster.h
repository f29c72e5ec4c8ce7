// ThreadRoster: the threads that have a record, their names and losses, and the listeners.
//
// The state of ThreadRegistry and all changes to it. Every member is under the registry's lock
// (threads/guarded.h), and none reads a file. A thread is *entered* when it gets a record, *ended*
// when it loses it.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/thread_filter.h"
#include "os/cpu_clock.h"
#include "sigsafe/threads/java_thread_filter.h"
#include "sigsafe/threads/thread_records.h"
#include "threads/priming_counts.h"
#include "threads/stale_java_threads.h"
#include "threads/thread_infos.h"
#include "threads/thread_listener.h"
#include "threads/thread_losses.h"

namespace jprof {

// Whether the end of native threads is announced by OnNativeThreadEnd.
enum class NativeEnds { kSilent, kAnnounced };

// A thread that has a record.
struct ThreadEntry {
  static constexpr Nanos kNotSeen = -1;

  ProfiledThread* record;
  uint64_t start_ticks = 0;      // 0: not looked up yet
  bool named = false;            // the kernel's name has been read,
  bool settled = false;          // and once more: threads name themselves late
  bool selected = false;         // by the filter: listeners know of it
  bool hooked = false;           // the hook announces its end, while the hook is installed
  Nanos cpu_seen_ns = kNotSeen;  // at the last PrimeRunning

  uint32_t serial() const { return record->serial.load(std::memory_order_relaxed); }
};

class ThreadRoster {
 public:
  using Live = std::unordered_map<int32_t, ThreadEntry>;  // by tid

  // All outlive the roster.
  ThreadRoster(ThreadRecords& records, JavaThreadFilter& java_threads);

  // ThreadRegistry::Begin.
  void Begin(ThreadFilter filter);

  void AddListener(ThreadListener* listener);
  void RemoveListener(ThreadListener* listener) { std::erase(listeners_, listener); }

  void Ignore(Tid tid);
  bool IsIgnored(Tid tid) const { return ignored_.count(Value(tid)) != 0; }
  const std::unordered_set<int32_t>& ignored() const { return ignored_; }

  Live& live() { return live_; }
  ThreadEntry* Find(Tid tid);  // nullptr: no record

  // The entry of the calling thread, made if need be. nullptr: it is ignored, or every record is
  // taken. REQUIRES: asynchronous signals are blocked.
  ThreadEntry* EnterCurrent(PrimingPath path, uint64_t start_ticks, Observed* observed);
  // A thread that has not announced itself. nullptr: every record is taken.
  ThreadEntry* EnterFound(Tid tid, PrimingPath path, uint64_t start_ticks);
  // A thread that uses `record` already, which wins over a record that a scan gave the thread.
  void Adopt(Tid tid, ProfiledThread* record, Observed observed);
  // A record that a handler claimed by itself, and that nobody has entered.
  bool IsClaimed(const ProfiledThread& record) const;

  // The next entry.
  Live::iterator End(Live::iterator entry, EndedBy ended_by);
  void End(Tid tid, EndedBy ended_by);
  // The calling thread has left the JVM, and may live on without it.
  void EndInJvm(Tid tid);
  // The tid is another thread's by now, which may have found the record by the tid: its handlers
  // may be at work on it.
  void Succeed(Live::iterator entry, PrimingPath path, uint64_t start_ticks);
  void Release(ProfiledThread* record);
  // Forgets tids that is_alive(tid) denies: a free tid may come back as a thread of ours.
  template <typename IsAlive>
  void ForgetTids(IsAlive&& is_alive) {
    for (auto* tids : {&ignored_, &left_, &primed_}) {
      std::erase_if(*tids, [&](int32_t tid) { return !is_alive(Tid{tid}); });
    }
  }

  void ExpectNativeEnds(NativeEnds ends) { native_ends_ = ends; }
  // By OnNativeThreadEnd.
  bool AnnouncesItsEnd(const ThreadEntry& entry) const {
    return entry.hooked && native_ends_ == NativeEnds::kAnnounced;
  }

  // Names, which may select a thread, or select it no longer.
  bool SelectsByName() const { return filter_.selects_by_name(); }
  void SetJava(ThreadEntry& entry, JavaThreadInfo java, Observed observed);
  void SetOsName(ThreadEntry& entry, const std::string& name);  // empty: not read, or it has ended
  ThreadInfos& infos() { return infos_; }

  // The start time, which with the tid is the identity; and how late the watcher was.
  void LearnStart(ThreadEntry& entry, uint64_t start_ticks);

  JavaThreadFilter& java_threads() { return java_threads_; }
  StaleJavaThreads& stale_java_threads() { return stale_java_threads_; }

  // ThreadRegistry::PrimeRunning.
  template <typename Prime>
  void PrimeRunning(Prime&& prime) {
    for (auto& [tid, entry] : live_) {
      if (!entry.selected || entry.record->adopted.load(std::memory_order_relaxed)) continue;
      if (primed_.count(tid) != 0) continue;
      const Nanos used_ns = TaskCpuNanos(Tid{tid});
      const Nanos before_ns = std::exchange(entry.cpu_seen_ns, used_ns);
      if (before_ns == ThreadEntry::kNotSeen || before_ns == used_ns) continue;
      if (!prime(static_cast<const ProfiledThread&>(*entry.record))) continue;
      primed_.insert(tid);
      ++counts_.signals;
    }
  }

  void AddLatency(PrimingPath path, Nanos latency_ns) {
    counts_.latency[static_cast<size_t>(path)].Add(latency_ns);
  }
  PrimingCounts Counts() const;
  std::vector<ThreadLoss> TakeLosses();

 private:
  ThreadEntry* Register(Tid tid, ProfiledThread* record, Observed observed);
  void Close(Live::iterator entry, EndedBy ended_by);
  void Select(ThreadEntry& entry, Observed observed);
  Observed ObservedFound(uint64_t start_ticks) const;

  ThreadRecords& records_;
  JavaThreadFilter& java_threads_;  // the threads that announce when they leave the JVM
  Live live_;
  ThreadInfos infos_;
  ThreadLosses losses_;
  std::unordered_set<int32_t> ignored_;
  std::unordered_set<int32_t> left_;    // detached from the JVM, accounted for until then
  std::unordered_set<int32_t> primed_;  // have been sent the session's priming signal
  StaleJavaThreads stale_java_threads_;
  std::vector<ThreadListener*> listeners_;
  ThreadFilter filter_;
  PrimingCounts counts_;
  Nanos begun_ns_;  // of the session, CLOCK_BOOTTIME
  NativeEnds native_ends_ = NativeEnds::kSilent;
};

}  // namespace jprof
