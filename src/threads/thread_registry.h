// ThreadRegistry: every thread of the process that is profiled, from its start to its end.
//
// It gives each thread a ProfiledThread record, remembers who the thread is, and tells the engines.
// Called by JVMTI callbacks on the threads themselves, by the session at start and stop, and by the
// task watcher. Thread-safe, never from a handler. One instance, leaked on purpose like the
// records.
//
// Invariants:
//  1. A record is released when no thread has its tid any more, or by the thread itself at its end;
//     a thread that lives on after that (it detached from the JVM) gets a new one from the next
//     scan. Where another thread has got the tid the record is that one's, under a new serial.
//  2. Listeners hear of a record between its two events and never twice, under the registry's lock:
//     they must not call back.
//  3. Files are read without the lock: a thread that starts or ends waits for none.
//  4. Information on ended threads stays until the recorder has taken the samples that they left,
//     whether or not these can be written.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/thread_filter.h"
#include "os/cpu_clock.h"
#include "sigsafe/base/stack_bounds.h"
#include "sigsafe/threads/java_thread_filter.h"
#include "sigsafe/threads/thread_records.h"
#include "threads/handler_cost.h"
#include "threads/native_thread_observer.h"
#include "threads/priming_counts.h"
#include "threads/task_facts.h"
#include "threads/thread_infos.h"
#include "threads/thread_loss.h"

namespace jprof {

// From when on a thread's CPU time is to be accounted for.
enum class Observed {
  kFromBirth,  // it began after the profiling did
  kFromNow,    // it was there before, or has been accounted for up to now
  kAsItWas,    // its record carries on where another record of the same thread was
};

// Who tells that a thread has ended.
enum class EndedBy {
  kItself,  // the thread, as the last thing it does; asynchronous signals are blocked
  kAbsence,
};

// Whether a scan asks for each thread that is known if it still is the same one, which costs the
// reading of a file where that is in doubt.
enum class Identity { kTrusted, kChecked };

// Whether the end of native threads is announced by OnNativeThreadEnd.
enum class NativeEnds { kSilent, kAnnounced };

// An engine's view of threads coming and going.
class ThreadListener {
 public:
  virtual ~ThreadListener() = default;
  virtual void OnThreadStart(ProfiledThread& thread, Observed observed) = 0;
  virtual void OnThreadEnd(ProfiledThread& thread, EndedBy ended_by) = 0;
};

class ThreadRegistry final : public NativeThreadObserver {
 public:
  // All outlive the registry. `java_threads` is the registry's to write; everybody may ask it.
  ThreadRegistry(ThreadRecords& records, JavaThreadFilter& java_threads,
                 TaskFiles& files = TaskFiles::OfThisProcess());

  // Starts a session: counts begin anew, and what the JVM has said of threads before is forgotten,
  // for it has not said since what became of them. Listeners hear of selected threads only, from
  // the moment in which the names select them. REQUIRES: no listener yet.
  void Begin(ThreadFilter filter);

  // The profiler's own threads are not profiled: they block every signal.
  void Ignore(Tid tid);
  std::vector<Tid> Ignored();

  // Brings the registry up to date with the kernel's task list: new threads get a record, ended
  // ones lose theirs. Where it checks, it also names threads that have named themselves since; at
  // start (kScan) it reads names only if the filter asks for them.
  Status Rescan(PrimingPath path = PrimingPath::kScan, Identity identity = Identity::kChecked);

  // Calls prime(record) for every selected thread that has used CPU since the last call and does
  // not know its record yet; it answers whether a signal is on its way, which is all that the
  // thread gets: one that blocks it would have more and more of them queued.
  template <typename Prime>
  void PrimeRunning(Prime&& prime) {
    const std::lock_guard lock(mutex_);
    for (auto& [tid, entry] : live_) {
      if (!entry.selected || entry.record->adopted.load(std::memory_order_relaxed)) continue;
      if (primed_.count(tid) != 0) continue;
      const Nanos used_ns = TaskCpuNanos(Tid{tid});
      const Nanos before_ns = std::exchange(entry.cpu_seen_ns, used_ns);
      if (before_ns == kNotSeen || before_ns == used_ns) continue;
      if (!prime(static_cast<const ProfiledThread&>(*entry.record))) continue;
      primed_.insert(tid);
      ++counts_.signals;
    }
  }

  // Since the last Begin.
  PrimingCounts Counts();

  // On the Java thread itself, from JVMTI ThreadStart / ThreadEnd.
  void OnJavaThreadStart(void* jni_env, JavaThreadInfo info);
  void OnJavaThreadEnd();

  // On a thread that native code has created, Java threads among them (pthread_hook.h).
  void OnNativeThreadStart(Nanos created_ns) override;
  void OnNativeThreadEnd() override;

  // Where native threads announce their end, one that leaves the JVM keeps its record till then.
  void ExpectNativeEnds(NativeEnds ends);

  // For a Java thread that was there before us: names it, lets its stack be walked, and registers
  // it if no scan has. Ignored if `tid` is gone, and if the thread has left the JVM or announced
  // itself since Begin: what the list of Java threads said of it is stale then.
  void SetJavaThread(Tid tid, void* jni_env, JavaThreadInfo info, StackBounds stack);
  // After the last SetJavaThread of a session.
  void EndJavaThreadList();

  // A Java thread may have another name by now. Ignored if `tid` is not that thread (any more).
  void UpdateJavaThread(Tid tid, JavaThreadInfo info);

  // Kernel names are read once more, at the next scan or Find.
  void ExpectNewNames();

  // OnThreadStart for every registered thread now, then events as they come.
  void AddListener(ThreadListener* listener);
  // No more events; OnThreadEnd is not called for the threads that live on.
  void RemoveListener(ThreadListener* listener);

  // Calls visit(record) for every selected thread, under the lock.
  template <typename Visitor>
  void ForEach(Visitor&& visit) {
    const std::lock_guard lock(mutex_);
    for (const auto& [tid, entry] : live_) {
      if (entry.selected) visit(*entry.record);
    }
  }

  // Who `serial` is, alive or recently ended. A record that a handler claimed by itself has no
  // entry before the next scan: then only the tid is known.
  std::shared_ptr<const ThreadInfo> Find(uint32_t serial, Tid tid);

  // Serials that ended before the call; forgotten by ForgetEnded(the same list).
  std::vector<uint32_t> Ended();
  void ForgetEnded(const std::vector<uint32_t>& serials);

  // Serials of the threads that live, and of those that have ended and are not forgotten.
  std::unordered_set<uint64_t> Known();
  // Those of `serials` that are known and that the JVM has announced.
  std::unordered_set<uint32_t> JavaThreadsAmong(const std::vector<uint32_t>& serials);

  // Losses since the last call, of threads that live and of those that have ended.
  std::vector<ThreadLoss> TakeLosses();

  // What handlers have taken of the threads' time since the last call. Thread-safe.
  HandlerCost TakeHandlerCost();

  // Of all records that were ever in use.
  uint64_t RecordBytes() const { return uint64_t{records_.HighWater()} * sizeof(ProfiledThread); }

  size_t live_threads();

 private:
  static constexpr Nanos kNotSeen = -1;

  struct Entry {
    ProfiledThread* record;
    uint64_t start_ticks;  // 0: not looked up yet
    bool named;            // the kernel's name has been read,
    bool settled;          // and once more: threads name themselves late
    bool selected;         // by the filter: listeners know of it
    bool hooked;           // it will say when it ends, as long as that is observed
    Nanos cpu_seen_ns;     // at the last PrimeRunning
  };
  using Live = std::unordered_map<int32_t, Entry>;

  Entry* EnterCurrentLocked(PrimingPath path, uint64_t start_ticks, Observed* observed);
  TaskFactsByTid Questions(const std::vector<Tid>& listed, PrimingPath path, Identity identity);
  void ScanLocked(const std::vector<Tid>& listed, const TaskFactsByTid& facts, PrimingPath path);
  bool IsLive(Tid tid);
  uint32_t LiveSerialLocked(int32_t tid) const;
  void FoundLocked(Tid tid, PrimingPath path, uint64_t start_ticks);
  Observed ObservedFound(uint64_t start_ticks) const;
  void RegisterLocked(Tid tid, ProfiledThread* record, Observed observed);
  Live::iterator EndLocked(Live::iterator entry, EndedBy ended_by);
  void CloseLocked(Live::iterator entry, EndedBy ended_by);
  void SucceedLocked(Live::iterator entry, PrimingPath path, uint64_t start_ticks);
  void ReleaseLocked(ProfiledThread* record);
  void TakeLossesLocked(ProfiledThread& record);
  void EndMissingLocked(const std::unordered_set<int32_t>& tasks, const TaskFactsByTid& facts,
                        PrimingPath path);
  bool WillAnnounceItsEnd(Live::const_iterator entry) const;
  static bool IsAnotherThread(Live::const_iterator entry, const TaskFacts& facts);
  void AdoptLocked(Tid tid, ProfiledThread* record, Observed observed);
  void AdoptClaimedLocked(const std::unordered_set<int32_t>& tasks);
  void LearnStartLocked(Entry& entry, uint64_t start_ticks);
  void RefreshLocked(Entry& entry, const std::string& name);
  void SelectLocked(Entry& entry, Observed observed);
  void SetJavaInfoLocked(Entry& entry, JavaThreadInfo java, Observed observed);

  ThreadRecords& records_;
  TaskFiles& files_;
  JavaThreadFilter& java_threads_;  // a set bit's thread will say when it leaves the JVM
  std::mutex mutex_;                // guards all below
  Live live_;                       // by tid
  ThreadInfos infos_;
  std::vector<ThreadLoss> losses_;  // of threads that have ended
  Nanos begun_ns_;                  // of the session, CLOCK_BOOTTIME
  std::unordered_set<int32_t> ignored_;
  std::unordered_set<int32_t> left_;      // detached from the JVM, accounted for until then
  std::unordered_set<int32_t> detached_;  // while Java threads are listed
  std::unordered_set<int32_t> primed_;    // have been sent the session's priming signal
  std::vector<ThreadListener*> listeners_;
  ThreadFilter filter_;
  PrimingCounts counts_;
  NativeEnds native_ends_ = NativeEnds::kSilent;
  bool is_listing_ = true;  // Java threads that were there before, from Begin on
};

}  // namespace jprof
