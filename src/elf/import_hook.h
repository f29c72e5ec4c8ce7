// ImportHook puts wrappers into the import slots of given functions, in every loaded object except
// the profiler's own. A wrapper calls the function whose address was in the slot before.
//
// Three kinds of calls are not covered: calls without an import slot (inside the library that
// defines the function); calls through an address from dlsym or from a function pointer in
// initialised data; and calls from libraries that were loaded after the last CoverNewLibraries.
// Code that takes the address of a hooked function gets the address of a wrapper.
//
// The hook's owner calls Install and the destructor; any number of threads may call
// CoverNewLibraries at the same time. Any number of hooks may exist, with disjoint names or with
// disjoint slots (ImportWrappers::Wants). Not async-signal-safe. Invariants:
//  1. Slots are read and written only inside dl_iterate_phdr, where the object stays loaded
//     (loader_lock/slot_walk.h). Decisions, which can take locks, are made outside that call.
//  2. An object is changed only after the dynamic linker has finished its relocation.
//  3. Every slot is written with one store, and the protection of its page is restored. A mutex
//     serialises all hooks, so that no hook sees a page that another hook has made writable.
//  4. If other software has replaced our wrapper in a slot, the slot is left alone. The other
//     software might call our wrapper, which then forwards forever.
//  5. The destructor restores the previous content of slots that still contain our wrapper (a lazy
//     slot becomes lazy again). Afterwards a thread might still be inside a wrapper.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "loader_lock/import_slots.h"
#include "os/memory_protection.h"
#include "sigsafe/base/types.h"

namespace jprof {

// LoadingWait waits, with a timeout, until every running dlopen has ended.
//
// dlopen holds a lock of the dynamic linker until the constructors of the library have returned,
// and a constructor can do anything, for example wait for a stop of the profiler. So a separate
// thread waits for the lock. This thread can outlive its callers, and ends when the lock is free.
//
// Thread-safe. Not for signal handlers.
class LoadingWait {
 public:
  LoadingWait() = default;
  LoadingWait(const LoadingWait&) = delete;
  LoadingWait& operator=(const LoadingWait&) = delete;

  // Waits until loaded objects are ready for use. `additions` is the number of objects loaded since
  // the start of the process (dlpi_adds), as the caller has just read it. Returns how many objects
  // are ready. If another call is already waiting, this call joins the wait of the other call, and
  // returns the `additions` of the other call; else it returns its own `additions`. Returns nullopt
  // if the wait takes longer than `patience_ns`.
  std::optional<uint64_t> Await(uint64_t additions, Nanos patience_ns);

 private:
  // One wait for the lock, on a thread of its own. All callers that come during a round share it.
  struct Round;

  std::shared_ptr<Round> CurrentRound(uint64_t additions);

  std::mutex mutex_;
  std::shared_ptr<Round> round_;  // guarded by mutex_; nullptr: no round is running
};

// The functions that an owner hooks, and their wrappers. Wrappers live as long as the process,
// because a hook of other software might have stored the address of a wrapper.
class ImportWrappers {
 public:
  virtual ~ImportWrappers() = default;

  // Returns the names of the functions, as the dynamic linker knows them. The names never change.
  virtual std::span<const std::string_view> names() const = 0;

  // True if calls through `slot` are to be hooked. Called by one thread at a time.
  virtual bool Wants(const ImportSlot& /*slot*/) const { return true; }

  // Returns the wrapper for `original`, an implementation of names()[name]; nullptr if no wrapper
  // is left. Called by one thread at a time.
  virtual void* For(size_t name, void* original) = 0;

  // Returns the original of the wrapper `function`; nullptr if `function` is not one of these
  // wrappers. Thread-safe.
  virtual void* OriginalOf(const void* function) const = 0;
};

class ImportHook {
 public:
  // Makes a hook that covers all loaded objects: it puts wrappers into their slots. REQUIRES:
  // `wrappers` outlives the hook; no other hook wants a slot of the same name in the same object.
  static std::unique_ptr<ImportHook> Install(ImportWrappers& wrappers);

  // Covers objects that were loaded since the last call. Costs little if there are none. Otherwise
  // waits until no thread is inside dlopen, including constructors of libraries. After kPatienceNs
  // the call gives up and covers nothing; the next call tries again.
  void CoverNewLibraries();
  static constexpr Nanos kPatienceNs = 100'000'000;

  ~ImportHook();
  ImportHook(const ImportHook&) = delete;
  ImportHook& operator=(const ImportHook&) = delete;

  // True once Install or CoverNewLibraries has covered all libraries that were loaded at the start
  // of the call. Neither of them succeeds while a thread stays inside dlopen.
  bool has_covered() const { return covered_additions_.load(std::memory_order_relaxed) != 0; }

  // Returns the number of slots that got no wrapper in the last pass over all objects, because a
  // page cannot be made writable or there are too many different originals.
  size_t refused_slots() const;

 private:
  // The previous content of a slot, and the function that the wrapper calls. The two differ for a
  // lazy slot, which the dynamic linker binds at the first call.
  struct Covered {
    uintptr_t previous;
    uintptr_t original;
  };
  struct Pass;

  explicit ImportHook(ImportWrappers& wrappers);

  void Cover(uint64_t additions);
  void PlanCover(const ImportSlot& slot, Pass& pass) const;
  static bool TakeOutcomes(Pass& pass);
  uintptr_t OriginalOfWrapper(uintptr_t function) const;
  uintptr_t OriginalFor(const ImportSlot& slot, const MemoryProtection& protection) const;
  void Restore();
  bool RestoreOnce();

  ImportWrappers& wrappers_;
  const std::vector<uintptr_t> resolved_;       // targets of lazy slots, by name index
  std::atomic<uint64_t> covered_additions_{0};  // dlpi_adds at the last complete pass; relaxed
  LoadingWait loading_;
  // slots_ and refused_ are guarded by the mutex that all hooks share.
  std::unordered_map<uintptr_t, Covered> slots_;
  size_t refused_ = 0;
};

}  // namespace jprof
