// ThreadRoster: the threads that have a slot, their names and losses, and the listeners: the
// state of ThreadRegistry, and all changes to it.
//
// Every function is called with the registry's lock held (threads/guarded.h), and none reads a
// file. A thread is *entered* when it gets a slot, and *ended* when the slot is taken from it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/thread_filter.h"
#include "os/cpu_clock.h"
#include "sigsafe/base/priming_path.h"
#include "sigsafe/base/types.h"
#include "sigsafe/threads/java_thread_filter.h"
#include "sigsafe/threads/thread_slot.h"
#include "sigsafe/threads/thread_slots.h"
#include "threads/thread_infos.h"
#include "threads/thread_losses.h"

namespace jprof {

// PrimingCounts: by which path the threads of a run became known to the registry, and how soon
// after their creation.

// The time from the creation of a thread to its registration.
struct PrimeLatency {
  uint64_t threads = 0;
  Nanos total_ns = 0;
  Nanos max_ns = 0;

  void Add(Nanos latency_ns) {
    latency_ns = std::max<Nanos>(latency_ns, 0);
    ++threads;
    total_ns += latency_ns;
    max_ns = std::max(max_ns, latency_ns);
  }
};

struct PrimingCounts {
  std::array<uint64_t, kPrimingPathCount> threads{};  // by path
  // By path, of threads with a known time of creation: for the hook, the time of the call that
  // created the thread; for the watcher, the start time from the kernel, in clock ticks.
  std::array<PrimeLatency, kPrimingPathCount> latency{};
  uint64_t signals = 0;         // priming signals sent in this run of the sampler (thread_primer.h)
  uint64_t java_threads = 0;    // live now
  uint64_t slots_in_use = 0;    // by live threads, Java and native
  uint64_t slots_recycled = 0;  // claims of slots that had been used before, in this process
};

// ThreadListener: is called when a selected thread starts and when it ends.

// The time from which on a thread's CPU time belongs to the recording.
enum class Observed {
  kFromBirth,  // the thread started after the recording
  kFromNow,    // the thread started before, or its CPU time up to now has been accounted for
  kContinued,  // the slot replaces another slot of the same thread, and continues its account
};

// How the end of a thread became known.
enum class EndedBy {
  kItself,   // announced by the thread, before it exits; asynchronous signals are blocked
  kAbsence,  // the kernel does not list the thread any more, or it is no longer selected
};

// Called with the registry's lock held, on any thread, outside handlers; must not call the
// registry. Start and end alternate for a slot, and only threads that the sampler's filter
// selects are announced.
class ThreadListener {
 public:
  virtual ~ThreadListener() = default;
  virtual void OnThreadStart(ThreadSlot& thread, Observed observed) = 0;
  virtual void OnThreadEnd(ThreadSlot& thread, EndedBy ended_by) = 0;
  // On a selected thread, or one without a slot, that has attached to the JVM or was started by
  // it.
  virtual void OnJavaThreadStart(const void* /*jni_env*/) {}
  // On a selected thread, or one without a slot, that is about to detach from the JVM. It will be
  // no thread with a JNIEnv any more when the registry's lock is free.
  virtual void OnJavaThreadEnd(const void* /*jni_env*/) {}
};

// StaleJavaThreads: the threads that detached from the JVM while the Java threads of a starting
// sampler's start were being listed. Their entries in JVMTI's list are out of date and must be
// ignored.
//
// Part of ThreadRoster, guarded by its lock.
class StaleJavaThreads {
 public:
  void BeginListing() {
    left_.clear();
    is_listing_ = true;
  }
  void EndListing() {
    left_ = {};
    is_listing_ = false;
  }

  void Entered(Tid tid) { left_.erase(Value(tid)); }
  void Left(Tid tid) {
    if (is_listing_) left_.insert(Value(tid));
  }

  bool Contains(Tid tid) const { return left_.count(Value(tid)) != 0; }

 private:
  std::unordered_set<int32_t> left_;
  bool is_listing_ = true;
};

// Whether native threads announce their end by OnNativeThreadEnd.
enum class NativeEnds { kSilent, kAnnounced };

// A thread that has a slot.
struct ThreadEntry {
  static constexpr Nanos kNotSeen = -1;

  ThreadSlot* slot;
  uint64_t start_ticks = 0;      // 0: not read yet
  bool named = false;            // the kernel's name has been read once
  bool name_confirmed = false;   // and a second time: threads set their name after their start
  bool name_settled = false;     // has been confirmed once: only a change of names can follow
  bool selected = false;         // by the filter: announced to listeners
  bool hooked = false;           // the thread announces its end while the hook is installed
  Nanos cpu_seen_ns = kNotSeen;  // the thread's CPU time at the last PrimeRunning
  Nanos name_read_ns = 0;        // when the current name was seen for the last time

  uint32_t serial() const { return slot->serial.load(std::memory_order_relaxed); }
};

class ThreadRoster {
 public:
  using Live = std::unordered_map<int32_t, ThreadEntry>;  // by tid

  // Both outlive the roster.
  ThreadRoster(ThreadSlots& slots, JavaThreadFilter& java_threads);

  // ThreadRegistry::Begin.
  void Begin(ThreadFilter filter);

  void AddListener(ThreadListener* listener);
  void RemoveListener(ThreadListener* listener) { std::erase(listeners_, listener); }

  void Ignore(Tid tid);
  bool IsIgnored(Tid tid) const { return ignored_.count(Value(tid)) != 0; }
  const std::unordered_set<int32_t>& ignored() const { return ignored_; }

  Live& live() { return live_; }
  ThreadEntry* Find(Tid tid);  // nullptr: no slot

  // Returns the entry of the calling thread, and enters the thread if it has none. nullptr: the
  // thread is ignored, or every slot is in use. REQUIRES: asynchronous signals are blocked.
  ThreadEntry* EnterCurrent(PrimingPath path, uint64_t start_ticks, Observed* observed);
  // Enters a thread that was found by a list and has not announced its start. nullptr: every slot
  // is in use.
  ThreadEntry* EnterUnannounced(Tid tid, PrimingPath path, uint64_t start_ticks);
  // Enters a thread that uses `slot` already. The slot replaces the slot that a scan gave the
  // thread, if there is one.
  void Adopt(Tid tid, ThreadSlot* slot, Observed observed);
  // Whether a handler has claimed the slot, and its thread has not been entered yet.
  bool IsClaimed(const ThreadSlot& slot) const;

  // Ends the thread and releases its slot. Returns the next entry.
  Live::iterator End(Live::iterator entry, EndedBy ended_by);
  void End(Tid tid, EndedBy ended_by);
  // Ends the calling thread, which has detached from the JVM and may live on without it.
  void EndDetached(Tid tid);
  // The calling thread has attached, or is about to detach. nullptr: it has no slot.
  void AnnounceJavaStart(const ThreadEntry* entry, const void* jni_env);
  void AnnounceJavaEnd(const ThreadEntry* entry, const void* jni_env);
  // Ends the thread, and gives its slot to a new thread that has the same tid. The slot is not
  // released between: handlers of the new thread may have found it by the tid and be using it.
  void PassToNewThread(Live::iterator entry, PrimingPath path, uint64_t start_ticks);
  void Release(ThreadSlot* slot);
  // Removes all tids for which is_alive(tid) is false: the kernel may give them to new threads.
  template <typename IsAlive>
  void ForgetTids(IsAlive&& is_alive) {
    for (auto* tids : {&ignored_, &left_, &primed_}) {
      std::erase_if(*tids, [&](int32_t tid) { return !is_alive(Tid{tid}); });
    }
  }

  void ExpectNativeEnds(NativeEnds ends) { native_ends_ = ends; }
  // Whether OnNativeThreadEnd will be called on the thread.
  bool AnnouncesItsEnd(const ThreadEntry& entry) const {
    return entry.hooked && native_ends_ == NativeEnds::kAnnounced;
  }

  // A change of names may change whether the filter selects the thread.
  bool SelectsByName() const { return filter_.selects_by_name(); }
  void SetJava(ThreadEntry& entry, JavaThreadInfo java, Observed observed);
  // The name that a Java thread has at `now_ns`.
  void SetJavaName(ThreadEntry& entry, const std::string& name, Nanos now_ns);
  void SetOsName(ThreadEntry& entry, const std::string& name);  // empty: no effect
  ThreadInfos& infos() { return infos_; }

  // Sets the start time of a thread, which with the tid identifies it, and counts the delay with
  // which the watcher found the thread.
  void LearnStart(ThreadEntry& entry, uint64_t start_ticks);

  JavaThreadFilter& java_threads() { return java_threads_; }
  StaleJavaThreads& stale_java_threads() { return stale_java_threads_; }

  // ThreadRegistry::PrimeRunning.
  template <typename Prime>
  void PrimeRunning(Prime&& prime) {
    for (auto& [tid, entry] : live_) {
      if (!entry.selected || entry.slot->adopted.load(std::memory_order_relaxed)) continue;
      if (primed_.count(tid) != 0) continue;
      const Nanos used_ns = TaskCpuNanos(Tid{tid});
      const Nanos before_ns = std::exchange(entry.cpu_seen_ns, used_ns);
      if (before_ns == ThreadEntry::kNotSeen || before_ns == used_ns) continue;
      if (!prime(static_cast<const ThreadSlot&>(*entry.slot))) continue;
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
  ThreadEntry* Register(Tid tid, ThreadSlot* slot, Observed observed);
  void Close(Live::iterator entry, EndedBy ended_by);
  void Select(ThreadEntry& entry, Observed observed);
  Observed ObservedFound(uint64_t start_ticks) const;

  ThreadSlots& slots_;
  JavaThreadFilter& java_threads_;  // the threads that will announce their detachment or end
  Live live_;
  ThreadInfos infos_;
  ThreadLosses losses_;
  std::unordered_set<int32_t> ignored_;  // threads of the profiler
  std::unordered_set<int32_t> left_;     // detached; their CPU time until then is accounted for
  std::unordered_set<int32_t> primed_;   // have got a priming signal in this run of the sampler
  StaleJavaThreads stale_java_threads_;
  std::vector<ThreadListener*> listeners_;
  ThreadFilter filter_;
  PrimingCounts counts_;
  Nanos begun_ns_;  // when the sampler began, on CLOCK_BOOTTIME
  NativeEnds native_ends_ = NativeEnds::kSilent;
};

}  // namespace jprof
