// CreationWrappers: functions that stand in for pthread_create and thrd_create, and let an observer
// see each thread that is created through them.
//
//   caller ─▶ wrapper k ─▶ original k (Begin, block) ─▶ new thread: observer, then its routine
//
// A wrapper has no state but its number, so each original that a slot may hold needs its own. The
// caller sees its original: same attributes, result, errno and cancellation. If memory for the
// block runs out, or nobody observes, the wrapper forwards the call as it is; so it does in a child
// of fork, where the observer's locks may be held by threads that are not there.
//
// Process-wide, and for ever: another hook may have kept the address of a wrapper, threads that
// were created through one end at any time. Invariants:
//  1. A wrapper forwards to the same original from its first call on.
//  2. A thread is announced at most once, through however many wrappers its creation went.
//  3. The profiling signals are blocked in a new thread from its first instruction until it has
//     been announced; then it has the mask that it would have had. The exception is a thread whose
//     attributes carry a mask: it blocks them itself, as its first act.
//  4. The block that carries routine and argument belongs to the new thread once that runs.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>

#include "base/result.h"
#include "elf/import_hook.h"
#include "threads/native_thread_observer.h"

namespace jprof {

enum class CreationCall : size_t { kPthreadCreate, kThrdCreate };
inline constexpr std::string_view kCreationCallNames[] = {"pthread_create", "thrd_create"};
inline constexpr size_t kCreationCallCount = 2;

class CreationWrappers final : public ImportWrappers {
 public:
  // Originals that differ, for each call. One is usual, another hook makes a second.
  static constexpr size_t kMaxOriginals = 8;

  // The only ones. The first call takes a pthread key, which is never given back. One thread at a
  // time.
  static Result<CreationWrappers*> OfProcess();

  // By CreationCall. No wrapper is left where the slots hold too many different originals.
  std::span<const std::string_view> names() const override { return kCreationCallNames; }
  void* For(size_t call, void* original) override;
  void* OriginalOf(const void* function) const override;

  // From now on threads are announced to `observer`, with `signals` blocked.
  static void StartObserving(NativeThreadObserver* observer, std::initializer_list<int> signals);

  // Returns when no thread is inside a call of the observer.
  // REQUIRES: the caller holds no lock that the observer takes.
  static void StopObserving();

 private:
  CreationWrappers() = default;
};

}  // namespace jprof
