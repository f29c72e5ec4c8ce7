// PthreadHook: announces every thread that native code creates, by putting a wrapper
// (creation_wrappers.h) into the import slots for pthread_create and thrd_create of every loaded
// object but our own. The wrapper calls what the slot held.
//
// Not seen: threads that the C library creates for itself (timer_create with SIGEV_THREAD, aio,
// getaddrinfo_a: no import slot on that way), raw clone, callers that got the address from dlsym,
// and libraries loaded since the last CoverNewLibraries. A program that takes the address of
// pthread_create in code (not in data) gets a wrapper's.
//
// Install and the destructor: by the session, one instance at a time. CoverNewLibraries: any
// thread, many at once. Not async-signal-safe. Invariants:
//  1. Slots are read and written inside dl_iterate_phdr alone: what we look at stays loaded.
//  2. An object is touched only when the dynamic linker has finished relocating it.
//  3. Every slot is written with one store, and its page is protected afterwards as it was before.
//  4. A hook that somebody laid over ours is left alone; ours then forwards for ever.
//  5. The destructor puts back what a slot held (a lazy slot becomes lazy again) where it still
//     holds ours, and returns when no thread is inside the observer.
#pragma once

#include <link.h>

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/result.h"
#include "elf/import_slots.h"
#include "os/memory_protection.h"
#include "threads/creation_wrappers.h"
#include "threads/loading_wait.h"
#include "threads/native_thread_observer.h"

namespace jprof {

class PthreadHook {
 public:
  // `signals`: those that must not arrive in a new thread before it has been announced.
  // REQUIRES: `observer` outlives the hook.
  static Result<std::unique_ptr<PthreadHook>> Install(NativeThreadObserver* observer,
                                                      std::initializer_list<int> signals);

  // Covers what has been loaded since the last call. One short look if nothing was; else it waits
  // until no thread is inside dlopen, constructors of libraries included. After kPatienceNs it
  // gives up and covers nothing: the next call looks again.
  void CoverNewLibraries();
  static constexpr Nanos kPatienceNs = 100'000'000;

  // REQUIRES: the caller holds no lock that the observer takes.
  ~PthreadHook();

  PthreadHook(const PthreadHook&) = delete;
  PthreadHook& operator=(const PthreadHook&) = delete;

  // Slots that hold a wrapper now, and those that could not get one in the last pass (a page that
  // cannot be made writable, too many different originals).
  size_t covered_slots();
  size_t refused_slots();

 private:
  // What a slot held, and what its wrapper calls: differ where the slot was lazy.
  struct Covered {
    uintptr_t previous;
    uintptr_t original;
  };
  struct Pass;

  PthreadHook() = default;

  void ResolveOriginals();
  void Cover(uint64_t additions);
  void CoverSlot(const LoadedObject& object, const ImportSlot& slot, Pass& pass);
  uintptr_t OriginalFor(const LoadedObject& object, const ImportSlot& slot, uintptr_t value,
                        const MemoryProtection& protection) const;
  void Restore();

  std::atomic<uint64_t> covered_additions_{0};  // dlpi_adds of the last pass; a hint, relaxed
  LoadingWait loading_;
  std::mutex mutex_;                             // guards all below
  uintptr_t resolved_[kCreationCallCount] = {};  // what a lazy slot would be bound to
  std::unordered_map<uintptr_t, Covered> slots_;
  size_t refused_ = 0;
};

}  // namespace jprof
