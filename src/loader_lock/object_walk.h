// WalkLoadedObjects: calls dl_iterate_phdr, and waits for a running fork first (fork_turns.h).
//
// The visitor runs under a lock of the dynamic linker. An allocator that unwinds its callers takes
// this lock while it holds its own locks. So a visitor that allocates, frees, or waits for any lock
// of the program can deadlock with the allocator. Therefore all visitors of the library are in
// src/loader_lock/, and no other code may use this header. The check loader_lock_symbols proves
// which functions the visitors call.
//
// No handler of an asynchronous signal runs on the thread during a walk. Otherwise a handler of
// another profiler (such as gperftools' for CPU time) could unwind, and so wait for a lock of its
// unwinder while the owner of that lock waits for the end of the walk.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

#include "loader_lock/fork_turns.h"
#include "sigsafe/os/signal_mask.h"

namespace jprof {

using ObjectVisitor = int (*)(dl_phdr_info* info, size_t size, void* data);

// Calls dl_iterate_phdr and returns its result. Thread-safe; not for signal handlers. A visitor
// must not call this function.
inline int WalkLoadedObjects(ObjectVisitor visit, void* data) {
  const ObjectWalkTurn turn;
  const AsyncSignalsBlocked no_handlers;
  return dl_iterate_phdr(visit, data);
}

// Calls visit(info) for each loaded object, until `visit` returns false.
template <typename Visit>
void ForEachObject(Visit visit) {
  WalkLoadedObjects([](dl_phdr_info* info, size_t,
                       void* data) { return (*static_cast<Visit*>(data))(*info) ? 0 : 1; },
                    &visit);
}

// Calls visit(info) for each object that is certain to be among the first `additions` objects that
// the dynamic linker has loaded (dlpi_adds). Returns how many objects the dynamic linker has loaded
// after these.
//
// New objects are added at the end of the list (glibc 2.36 elf/dl-object.c,
// _dl_add_to_namespace_list): if n objects were loaded later, those that are still loaded are among
// the last n of the list. An inner walk counts the objects of the list. It does not deadlock,
// because glibc's lock is recursive.
template <typename Visit>
uint64_t ForEachOldObject(uint64_t additions, Visit visit) {
  uint64_t added_since = 0;
  uint64_t left = 0;
  bool is_first = true;
  ForEachObject([&](const dl_phdr_info& info) {
    if (is_first) {
      is_first = false;
      added_since = info.dlpi_adds - additions;
      uint64_t all = 0;
      dl_iterate_phdr(
          [](dl_phdr_info*, size_t, void* count) {
            ++*static_cast<uint64_t*>(count);
            return 0;
          },
          &all);
      left = all > added_since ? all - added_since : 0;
    }
    if (left == 0) return false;
    --left;
    visit(info);
    return true;
  });
  return added_since;
}

}  // namespace jprof
