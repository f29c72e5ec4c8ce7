// ThreadRoster is the state of ThreadRegistry, with the functions that change the state. The state
// consists of the threads that have a slot (ThreadEntry), their names and losses, the counts of a
// run (PrimingCounts), the Java threads for which JVMTI's list is out of date (StaleJavaThreads),
// and the listeners (ThreadListener).
//
// Every function is called with the registry's lock held (threads/guarded.h). No function reads a
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

// The times that threads took from their creation to their registration.
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

// The number of threads that became known to the registry in a run, by path, and the time that
// passed from their creation until then.
struct PrimingCounts {
  std::array<uint64_t, kPrimingPathCount> threads{};  // indexed by path
  // The latency of threads whose time of creation is known, by path. For the hook, the time of
  // creation is the time of the call that created the thread; for the watcher, it is the kernel's
  // start time, which is precise to a clock tick.
  std::array<PrimeLatency, kPrimingPathCount> latency{};
  uint64_t signals = 0;         // priming signals sent in this run of the sampler
  uint64_t java_threads = 0;    // Java threads that live now
  uint64_t slots_in_use = 0;    // slots of live threads, Java and native
  uint64_t slots_recycled = 0;  // claims of slots that other threads had used before
};

// Tells from when on a thread's CPU time belongs to the recording.
enum class Observed {
  kFromBirth,  // the thread started after the recording
  kFromNow,    // the thread started before the recording, or its CPU time so far is accounted for
  kContinued,  // the slot replaces another slot of the thread, and continues its CPU time
};

// How the end of a thread became known.
enum class EndedBy {
  kItself,   // announced by the thread, before it exits; asynchronous signals are blocked
  kAbsence,  // the kernel no longer lists the thread, or it is no longer selected
};

struct EndOfThread {
  EndedBy by = EndedBy::kAbsence;
  // The time that the thread has waited in the run queue since its start. Has a value if the thread
  // has announced its end, the kernel reports the time, and a listener needs it.
  std::optional<Nanos> queued_ns = std::nullopt;
};

// A listener that is called when a selected thread starts and when it ends. Its functions are
// called with the registry's lock held, on any thread, outside handlers, and must not call the
// registry. Start and end alternate for a slot, and only threads that the sampler's filter selects
// are announced.
class ThreadListener {
 public:
  virtual ~ThreadListener() = default;
  virtual void OnThreadStart(ThreadSlot& thread, Observed observed) = 0;
  virtual void OnThreadEnd(ThreadSlot& thread, const EndOfThread& end) = 0;
  // True if OnThreadEnd needs EndOfThread::queued_ns. Must not change while the listener is registered.
  virtual bool NeedsRunQueue() const { return false; }
  // Called on a thread that has attached to the JVM or was started by it, if the thread is selected
  // or has no slot.
  virtual void OnJavaThreadStart(const void* /*jni_env*/) {}
  // Called on a thread that is about to detach from the JVM, if the thread is selected or has no
  // slot. When the registry's lock is free again, the thread no longer counts as one with a JNIEnv.
  virtual void OnJavaThreadEnd(const void* /*jni_env*/) {}
};

// StaleJavaThreads has the threads that detached from the JVM while a starting sampler listed the
// Java threads. The entries of these threads in JVMTI's list are out of date and must be ignored.
//
// StaleJavaThreads is a part of ThreadRoster and is guarded by the registry's lock.
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

// Tells whether native threads announce their end by OnNativeThreadEnd.
enum class NativeEnds { kSilent, kAnnounced };

// A thread that has a slot.
struct ThreadEntry {
  static constexpr Nanos kNotSeen = -1;

  ThreadSlot* slot;
  uint64_t start_ticks = 0;      // 0 if not read yet
  bool named = false;            // the kernel's name has been read once
  bool name_confirmed = false;   // true once that name was read twice: threads set it late
  bool name_settled = false;     // true once the name was confirmed; a later name is a change
  bool selected = false;         // selected by the filter, so announced to listeners
  bool hooked = false;           // the thread announces its end while the hook is installed
  Nanos cpu_seen_ns = kNotSeen;  // the thread's CPU time at the last PrimeRunning
  Nanos name_read_ns = 0;        // time at which the current name was last read

  uint32_t serial() const { return slot->serial.load(std::memory_order_relaxed); }
};

class ThreadRoster {
 public:
  using Live = std::unordered_map<int32_t, ThreadEntry>;  // keyed by tid

  // Both arguments must outlive the roster.
  ThreadRoster(ThreadSlots& slots, JavaThreadFilter& java_threads);

  // Does the work of ThreadRegistry::Begin.
  void Begin(ThreadFilter filter);

  void AddListener(ThreadListener* listener);
  void RemoveListener(ThreadListener* listener) { std::erase(listeners_, listener); }

  void Ignore(Tid tid);
  bool IsIgnored(Tid tid) const { return ignored_.count(Value(tid)) != 0; }
  const std::unordered_set<int32_t>& ignored() const { return ignored_; }

  Live& live() { return live_; }
  ThreadEntry* Find(Tid tid);  // nullptr if the thread has no slot

  // Returns the entry of the calling thread, and enters the thread if it has none. Returns nullptr
  // if the thread is ignored, or if every slot is in use. Sets `observed`. REQUIRES: asynchronous
  // signals are blocked.
  ThreadEntry* EnterCurrent(PrimingPath path, uint64_t start_ticks, Observed* observed);
  // Enters a thread that was found in a list and has not announced its start. Returns nullptr if
  // every slot is in use.
  ThreadEntry* EnterUnannounced(Tid tid, PrimingPath path, uint64_t start_ticks);
  // Enters a thread that uses `slot` already. If a scan has given the thread another slot, `slot`
  // replaces it.
  void Adopt(Tid tid, ThreadSlot* slot, Observed observed);
  // True if a handler has claimed the slot, and its thread has not been entered yet.
  bool IsClaimed(const ThreadSlot& slot) const;

  // Ends the thread and releases its slot. Returns the next entry.
  Live::iterator End(Live::iterator entry, const EndOfThread& end);
  void End(Tid tid, const EndOfThread& end);
  // Ends the calling thread, which has detached from the JVM and can live on without a slot.
  void EndDetached(Tid tid, const EndOfThread& end);
  // Tell the listeners that the calling thread has attached to the JVM, or is about to detach.
  // `entry` is nullptr if the thread has no slot.
  void AnnounceJavaStart(const ThreadEntry* entry, const void* jni_env);
  void AnnounceJavaEnd(const ThreadEntry* entry, const void* jni_env);
  // Ends the thread, and gives its slot to a new thread that has the same tid. The slot is not
  // released in between, because signal handlers of the new thread might have found the slot by the
  // tid, and might be using it.
  void PassToNewThread(Live::iterator entry, PrimingPath path, uint64_t start_ticks);
  void Release(ThreadSlot* slot);
  // Removes all tids for which is_alive(tid) is false: the kernel can give them to new threads.
  template <typename IsAlive>
  void ForgetTids(IsAlive&& is_alive) {
    for (auto* tids : {&ignored_, &left_, &primed_}) {
      std::erase_if(*tids, [&](int32_t tid) { return !is_alive(Tid{tid}); });
    }
  }

  void ExpectNativeEnds(NativeEnds ends) { native_ends_ = ends; }
  // True if OnNativeThreadEnd will be called on the thread.
  bool AnnouncesItsEnd(const ThreadEntry& entry) const {
    return entry.hooked && native_ends_ == NativeEnds::kAnnounced;
  }

  // True if the filter selects threads by name. In this case SetJava, SetJavaName and SetOsName can
  // change whether the filter selects the thread.
  bool SelectsByName() const { return filter_.selects_by_name(); }
  void SetJava(ThreadEntry& entry, JavaThreadInfo java, Observed observed);
  // Sets the name that a Java thread has at `now_ns`.
  void SetJavaName(ThreadEntry& entry, const std::string& name, Nanos now_ns);
  void SetOsName(ThreadEntry& entry, const std::string& name);  // no effect if empty
  ThreadInfos& infos() { return infos_; }

  // Sets the start time of a thread. Start time and tid together identify a thread. If the watcher
  // has found the thread, adds the time since the thread's start to PrimingCounts::latency.
  void LearnStart(ThreadEntry& entry, uint64_t start_ticks);

  JavaThreadFilter& java_threads() { return java_threads_; }
  StaleJavaThreads& stale_java_threads() { return stale_java_threads_; }

  // Does the work of ThreadRegistry::PrimeRunning.
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
  void Close(Live::iterator entry, const EndOfThread& end);
  void Select(ThreadEntry& entry, Observed observed);
  Observed ObservedFound(uint64_t start_ticks) const;

  ThreadSlots& slots_;
  JavaThreadFilter& java_threads_;  // the threads that will announce their detachment or end
  Live live_;
  ThreadInfos infos_;
  ThreadLosses losses_;
  std::unordered_set<int32_t> ignored_;  // threads of the profiler
  std::unordered_set<int32_t> left_;  // detached threads; CPU time until the detachment is counted
  std::unordered_set<int32_t> primed_;  // threads that got a priming signal in this run
  StaleJavaThreads stale_java_threads_;
  std::vector<ThreadListener*> listeners_;
  ThreadFilter filter_;
  PrimingCounts counts_;
  Nanos begun_ns_;  // start of the sampler, on CLOCK_BOOTTIME
  NativeEnds native_ends_ = NativeEnds::kSilent;
};

}  // namespace jprof
