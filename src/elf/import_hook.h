// ImportHook: puts wrappers of ours into the import slots for certain functions, of every loaded
// object but our own. A wrapper calls what the slot held.
//
// Not seen: calls that take no import slot (inside the library that defines the function), callers
// that got the address from dlsym, and libraries loaded since the last CoverNewLibraries. A program
// that takes the address of such a function in code (not in data) gets a wrapper's.
//
// Install and the destructor: by the hook's owner. Any number of hooks at a time, for names of
// their own. CoverNewLibraries: any thread, many at once. Not async-signal-safe. Invariants:
//  1. Slots are read and written inside dl_iterate_phdr alone: the object that is looked at stays
//     loaded.
//  2. An object is touched only when the dynamic linker has finished relocating it.
//  3. Every slot is written with one store, and its page is protected afterwards as it was before.
//     Hooks take turns: none sees a page that another one has just made writable.
//  4. A hook that somebody laid over ours is left alone; ours then forwards for ever.
//  5. The destructor puts back what a slot held (a lazy slot becomes lazy again) where it still
//     holds ours. A thread may still be inside a wrapper then.
#pragma once

#include <link.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "elf/import_slots.h"
#include "elf/loading_wait.h"
#include "os/memory_protection.h"

namespace jprof {

// The functions that an owner has hooked, and the wrappers that stand in for them. Wrappers stay
// for the life of the process: another hook may have kept the address of one.
class ImportWrappers {
 public:
  virtual ~ImportWrappers() = default;

  // As the dynamic linker knows them. Constant.
  virtual std::span<const std::string_view> names() const = 0;

  // What to call in place of `original`, of the function names()[name]; nullptr if that is not
  // possible. One thread at a time.
  virtual void* For(size_t name, void* original) = 0;

  // The original that `function` stands in for; nullptr if it is no wrapper of these. Thread-safe.
  virtual void* OriginalOf(const void* function) const = 0;
};

class ImportHook {
 public:
  // Covers all that is loaded. REQUIRES: `wrappers` outlives the hook; no other hook has its names.
  static std::unique_ptr<ImportHook> Install(ImportWrappers& wrappers);

  // Covers all that has been loaded since the last call. One short look if nothing was; else it
  // waits until no thread is inside dlopen, constructors of libraries included. After kPatienceNs
  // it gives up and covers nothing: the next call looks again.
  void CoverNewLibraries();
  static constexpr Nanos kPatienceNs = 100'000'000;

  ~ImportHook();
  ImportHook(const ImportHook&) = delete;
  ImportHook& operator=(const ImportHook&) = delete;

  // Slots that could not get a wrapper in the last pass (a page that cannot be made writable, too
  // many different originals).
  size_t refused_slots() const;

 private:
  // What a slot held, and what its wrapper calls: differ where the slot was lazy.
  struct Covered {
    uintptr_t previous;
    uintptr_t original;
  };
  struct Pass;

  explicit ImportHook(ImportWrappers& wrappers);

  void Cover(uint64_t additions);
  void CoverSlot(const LoadedObject& object, const ImportSlot& slot, Pass& pass);
  uintptr_t OriginalOfWrapper(uintptr_t function) const;
  uintptr_t OriginalFor(const LoadedObject& object, const ImportSlot& slot, uintptr_t value,
                        const MemoryProtection& protection) const;
  void Restore();

  ImportWrappers& wrappers_;
  const std::vector<uintptr_t> resolved_;       // by name: what a lazy slot would be bound to
  std::atomic<uint64_t> covered_additions_{0};  // dlpi_adds of the last pass; a hint, relaxed
  LoadingWait loading_;
  // Below under the mutex that all hooks share.
  std::unordered_map<uintptr_t, Covered> slots_;
  size_t refused_ = 0;
};

}  // namespace jprof
