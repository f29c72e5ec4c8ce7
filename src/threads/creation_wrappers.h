// CreationWrappers provides functions (wrappers) that replace pthread_create and thrd_create in
// import slots. A wrapper announces to an observer each thread that it creates.
//
//   caller ─▶ wrapper k ─▶ original k (Begin, block) ─▶ new thread: observer, then its routine
//
// The *original* is the function that the import slot held before. The *block* has the thread's
// routine and argument. A wrapper has no state except its number k, so each distinct original needs
// a wrapper of its own. The caller gets the behaviour of the original: the same attributes, result,
// errno and cancellation. In three cases a wrapper forwards the call unchanged, and the thread is
// not announced: there is no memory for the block, there is no observer, or the process is a child
// of fork. In a child of fork, a lock of the observer might be held forever, because another thread
// of the parent held it at the fork.
//
// The wrappers are process-wide and permanent, because another hook might have kept the address of
// a wrapper, and threads that were created through a wrapper can end at any time.
//
// Invariants:
//  1. A wrapper forwards to the same original from its first call on.
//  2. A thread is announced at most once, however many wrappers its creation passed through.
//  3. The profiling signals are blocked in a new thread until the thread has been announced: from
//     its first instruction on or, if its attributes include a signal mask, from a call at the
//     start of Begin on. After the announcement, the thread has the signal mask that it would have
//     had without the wrapper.
//  4. The block with routine and argument is owned by the new thread once the thread runs.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>

#include "base/result.h"
#include "elf/import_hook.h"
#include "sigsafe/base/types.h"

namespace jprof {

// An observer of the threads that native code creates. It is called on each of these threads, at
// the start and at the end of the thread.
//
// Both functions are called outside handlers, with the profiling signals blocked and cancellation
// disabled; the caller preserves errno. They run on the thread's own stack, which can be as small
// as 16 KiB, and on any number of threads at once.
class NativeThreadObserver {
 public:
  virtual ~NativeThreadObserver() = default;

  // Called before the thread's routine. `created_ns` is the time of the call that created the
  // thread, on CLOCK_MONOTONIC.
  virtual void OnNativeThreadStart(Nanos created_ns) = 0;

  // Called when the thread ends, be it by return, pthread_exit or cancellation. By then the
  // destructors of its C++ thread-local objects and the first round of destructors of its pthread
  // keys have run. The profiling signals stay blocked until the thread's last instruction. Also
  // called for a thread whose start was announced to an earlier observer.
  virtual void OnNativeThreadEnd() = 0;
};

enum class CreationCall : size_t { kPthreadCreate, kThrdCreate };
inline constexpr std::string_view kCreationCallNames[] = {"pthread_create", "thrd_create"};
inline constexpr size_t kCreationCallCount = 2;

class CreationWrappers final : public ImportWrappers {
 public:
  // The largest number of distinct originals of one CreationCall. Usually a call has one original;
  // the hook of another tool adds a second.
  static constexpr size_t kMaxOriginals = 8;

  // Returns the instance of the process. The first call creates a pthread key, and fails if no key
  // is free. The key is never deleted. Called by one thread at a time.
  static Result<CreationWrappers*> OfProcess();

  // Functions of ImportWrappers; `call` is a CreationCall. For() returns nullptr if there are more
  // than kMaxOriginals distinct originals. OriginalOf returns nullptr if `function` is no wrapper.
  std::span<const std::string_view> names() const override { return kCreationCallNames; }
  void* For(size_t call, void* original) override;
  void* OriginalOf(const void* function) const override;

  // Announces new threads to `observer` from now on, with `signals` blocked.
  static void StartObserving(NativeThreadObserver* observer, std::initializer_list<int> signals);

  // Ends the announcements. Returns when no thread is inside a call to the observer, and no further
  // call can start. REQUIRES: the caller holds no lock that the observer takes.
  static void StopObserving();

 private:
  CreationWrappers() = default;
};

}  // namespace jprof
