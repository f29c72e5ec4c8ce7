// ThreadRegistry keeps track of the profiled threads of the process, from their start to their end.
//
// The registry gives each thread a ThreadSlot, keeps the names of threads, and announces starts and
// ends to listeners (the engines). It is called by JVMTI callbacks on the threads themselves, by
// the sampler at start and stop, and by the task watcher. Thread-safe; not for handlers. There is
// one instance, leaked on purpose like the slots.
//
// Invariants:
//  1. A slot is released by the thread itself at its end, or by a scan when no thread has the tid
//     of the slot any more. A thread that detached from the JVM and lives on gets a new slot at the
//     next scan. If the tid has been reused, the slot passes to the new thread, with a new serial.
//  2. Listeners are called with the registry's lock held, so they must not call the registry. For
//     each slot, calls of OnThreadStart and OnThreadEnd alternate.
//  3. Files are read without the lock: a starting or ending thread waits for no file.
//  4. The ThreadInfo of an ended thread stays until the recorder has taken the thread's last
//     samples, whether or not they can be written. At most ThreadInfos::kMaxEnded are kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/thread_filter.h"
#include "sigsafe/base/types.h"
#include "sigsafe/threads/java_thread_filter.h"
#include "sigsafe/threads/thread_slots.h"
#include "threads/creation_wrappers.h"
#include "threads/guarded.h"
#include "threads/task_facts.h"
#include "threads/thread_losses.h"
#include "threads/thread_names.h"
#include "threads/thread_roster.h"
#include "threads/thread_scan.h"

namespace jprof {

class ThreadRegistry final : public NativeThreadObserver {
 public:
  // All arguments must outlive the registry. Only the registry writes `java_threads`; handlers read
  // it.
  ThreadRegistry(ThreadSlots& slots, JavaThreadFilter& java_threads,
                 TaskFiles& files = TaskFiles::OfThisProcess())
      : slots_(slots), files_(files), threads_(slots, java_threads), names_(threads_, files) {}

  // Starts a run of the sampler. Resets the counts. Removes the JNIEnvs and Java names of earlier
  // runs, because changes between runs were not announced. `filter` selects the threads that are
  // announced to listeners; a thread can become selected when its name becomes known. REQUIRES: no
  // listener is registered.
  void Begin(ThreadFilter filter);

  // Excludes a thread of the profiler from profiling; such a thread blocks every signal.
  void Ignore(Tid tid);
  std::vector<Tid> Ignored();

  // Updates the registry from the kernel's list of threads (thread_scan.h).
  Status Rescan(PrimingPath path = PrimingPath::kScan, Identity identity = Identity::kChecked) {
    return ScanThreads(threads_, slots_, files_, path, identity);
  }

  ThreadNames& names() { return names_; }

  // Returns the losses of live and ended threads since the last call.
  std::vector<ThreadLoss> TakeLosses();

  // Calls prime(slot) for every selected thread that has used CPU time since the last call and has
  // not adopted its slot yet (ThreadPrimer in thread_signal.h). `prime` returns true if it has sent
  // a signal. A thread gets at most one such signal in a run, because signals would queue up in a
  // thread that blocks them.
  template <typename Prime>
  void PrimeRunning(Prime&& prime) {
    threads_.Lock()->PrimeRunning(std::forward<Prime>(prime));
  }

  // Returns the counts since the last Begin.
  PrimingCounts Counts();

  // Called on the Java thread itself, by JVMTI's ThreadStart and ThreadEnd.
  void OnJavaThreadStart(void* jni_env, JavaThreadInfo info);
  // `name` is the last Java name of the thread; nullopt if it could not be read.
  void OnJavaThreadEnd(const void* jni_env, const std::optional<std::string>& name = std::nullopt);

  // Called on a thread that native code has created (pthread_hook.h). Such threads include Java
  // threads, because the native code of the JVM creates them.
  void OnNativeThreadStart(Nanos created_ns) override;
  void OnNativeThreadEnd() override;

  // Sets whether native threads announce their end. If they do, a thread that detaches from the JVM
  // keeps its slot until that announcement.
  void ExpectNativeEnds(NativeEnds ends);

  // Sets names, JNIEnv and stack bounds of a Java thread that started before the run. Registers the
  // thread if no scan has done so. Does nothing if the thread has ended, detached from the JVM or
  // announced itself since Begin, because then the caller's list is out of date.
  void SetJavaThread(Tid tid, void* jni_env, JavaThreadInfo info, StackBounds stack);
  // Called after the last SetJavaThread at the start of a run.
  void EndJavaThreadList();

  // Calls OnThreadStart for every selected thread, and announces starts and ends from now on.
  void AddListener(ThreadListener* listener);
  // Ends the announcements. Does not call OnThreadEnd for live threads.
  void RemoveListener(ThreadListener* listener);

  // Calls visit(slot) for every selected thread, with the lock held: `visit` must not call the
  // registry.
  template <typename Visitor>
  void ForEach(Visitor&& visit) {
    const auto roster = threads_.Lock();
    for (const auto& [tid, entry] : roster->live()) {
      if (entry.selected) visit(*entry.slot);
    }
  }

 private:
  EndOfThread EndOfCaller();
  NativeEnds EndJava(const void* jni_env, const std::optional<std::string>& name);

  ThreadSlots& slots_;
  TaskFiles& files_;
  Guarded<ThreadRoster> threads_;
  ThreadNames names_;
  // The number of listeners that need the run queue. relaxed: a listener that is just added might
  // miss the time of a thread that ends at the same moment.
  std::atomic<int> need_run_queue_{0};
};

}  // namespace jprof
