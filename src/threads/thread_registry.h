// ThreadRegistry: every thread of the process that is profiled, from its start to its end.
//
// It gives each thread a ProfiledThread record, keeps its names, and tells the engines.
// Called by JVMTI callbacks on the threads themselves, by the session at start and stop, and by the
// task watcher. Thread-safe, never from a handler. One instance, leaked on purpose like the
// records.
//
// Invariants:
//  1. A record is released when no thread has its tid any more, or by the thread itself at its end;
//     a thread that lives on after that (it detached from the JVM) gets a new record from the next
//     scan. If the tid has been reused, the record passes to the new thread, under a new serial.
//  2. Listeners hear of a record between its two events and never twice, under the registry's lock:
//     they must not call back.
//  3. Files are read without the lock: a thread that starts or ends waits for none.
//  4. Information on ended threads stays until the recorder has taken the samples that they left,
//     whether or not these can be written.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/thread_filter.h"
#include "sigsafe/base/stack_bounds.h"
#include "sigsafe/threads/java_thread_filter.h"
#include "sigsafe/threads/thread_records.h"
#include "threads/guarded.h"
#include "threads/native_thread_observer.h"
#include "threads/priming_counts.h"
#include "threads/task_facts.h"
#include "threads/thread_listener.h"
#include "threads/thread_loss.h"
#include "threads/thread_names.h"
#include "threads/thread_roster.h"
#include "threads/thread_scan.h"

namespace jprof {

class ThreadRegistry final : public NativeThreadObserver {
 public:
  // All outlive the registry. Only the registry writes `java_threads`; anyone may read it.
  ThreadRegistry(ThreadRecords& records, JavaThreadFilter& java_threads,
                 TaskFiles& files = TaskFiles::OfThisProcess())
      : records_(records),
        files_(files),
        threads_(records, java_threads),
        names_(threads_, files) {}

  // Starts a session: counts begin anew, and JNIEnvs and Java names of earlier sessions are
  // dropped, for the JVM has not announced changes since. Listeners hear of selected threads only,
  // from the moment in which the names select them. REQUIRES: no listener yet.
  void Begin(ThreadFilter filter);

  // The profiler's own threads are not profiled: they block every signal.
  void Ignore(Tid tid);
  std::vector<Tid> Ignored();

  // thread_scan.h
  Status Rescan(PrimingPath path = PrimingPath::kScan, Identity identity = Identity::kChecked) {
    return ScanThreads(threads_, records_, files_, path, identity);
  }

  ThreadNames& names() { return names_; }

  // Losses since the last call, of threads that live and of those that have ended.
  std::vector<ThreadLoss> TakeLosses();

  // Calls prime(record) for every selected thread that has used CPU since the last call and does
  // not know its record yet. prime returns whether a signal is on its way; a thread gets one a
  // session, for in a thread that blocks the signal they would pile up.
  template <typename Prime>
  void PrimeRunning(Prime&& prime) {
    threads_.Lock()->PrimeRunning(std::forward<Prime>(prime));
  }

  // Since the last Begin.
  PrimingCounts Counts();

  // On the Java thread itself, from JVMTI ThreadStart / ThreadEnd.
  void OnJavaThreadStart(void* jni_env, JavaThreadInfo info);
  void OnJavaThreadEnd();

  // On a thread that native code has created, Java threads among them (pthread_hook.h).
  void OnNativeThreadStart(Nanos created_ns) override;
  void OnNativeThreadEnd() override;

  // If native threads announce their end, a thread that leaves the JVM keeps its record till then.
  void ExpectNativeEnds(NativeEnds ends);

  // For a Java thread that was there before us: names it, lets its stack be walked, and registers
  // it if no scan has. Ignored if `tid` is gone, and if the thread has left the JVM or announced
  // itself since Begin: its entry in the list of Java threads is stale then.
  void SetJavaThread(Tid tid, void* jni_env, JavaThreadInfo info, StackBounds stack);
  // After the last SetJavaThread of a session.
  void EndJavaThreadList();

  // OnThreadStart for every registered thread now, then events as they come.
  void AddListener(ThreadListener* listener);
  // No more events; OnThreadEnd is not called for the threads that live on.
  void RemoveListener(ThreadListener* listener);

  // Calls visit(record) for every selected thread, under the lock.
  template <typename Visitor>
  void ForEach(Visitor&& visit) {
    const auto roster = threads_.Lock();
    for (const auto& [tid, entry] : roster->live()) {
      if (entry.selected) visit(*entry.record);
    }
  }

 private:
  ThreadRecords& records_;
  TaskFiles& files_;
  Guarded<ThreadRoster> threads_;
  ThreadNames names_;
};

}  // namespace jprof
