#include "loader_lock/slot_walk.h"

#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <atomic>

#include "loader_lock/object_walk.h"
#include "sigsafe/base/check.h"
#include "sigsafe/os/raw_syscall.h"

namespace jprof {
namespace {

bool SetProtection(uintptr_t page, size_t size, int protection) {
  return RawSyscall(SYS_mprotect, static_cast<long>(page), static_cast<long>(size), protection) ==
         0;
}

}  // namespace

SlotCounts FindSlots(const SlotSearch& search, std::span<ImportSlot> found) {
  SlotCounts counts;
  counts.added_since = ForEachOldObject(search.additions, [&](const dl_phdr_info& info) {
    const LoadedObject object(info);
    if (object.Holds(search.own_data, 1, PF_W)) return;
    const size_t used = std::min(counts.slots, found.size());
    counts.slots += object.FindImports(search.names, found.subspan(used));
  });
  return counts;
}

uint64_t StoreSlots(uint64_t additions, std::span<SlotStore> stores) {
  return ForEachOldObject(additions, [stores](const dl_phdr_info& info) {
    const LoadedObject object(info);
    const auto slot_of = [](const SlotStore& store) { return store.slot; };
    const ObjectExtent extent = object.Extent();
    const auto end = std::ranges::lower_bound(stores, extent.end, {}, slot_of);
    for (auto store = std::ranges::lower_bound(stores, extent.begin, {}, slot_of); store != end;
         ++store) {
      if (object.Holds(store->slot, sizeof(uintptr_t), PF_R | PF_W)) {
        store->outcome = StoreSlot(*store);
      }
    }
  });
}

StoreOutcome StoreSlot(const SlotStore& store) {
  JPROF_CHECK(store.slot % sizeof(uintptr_t) == 0);
  const size_t page_size = getauxval(AT_PAGESZ);
  const uintptr_t page = store.slot & ~(page_size - 1);
  const bool is_writable = (store.protection & PROT_WRITE) != 0;
  if (!is_writable && !SetProtection(page, page_size, store.protection | PROT_WRITE)) {
    return StoreOutcome::kProtected;
  }
  const std::atomic_ref<uintptr_t> slot(*reinterpret_cast<uintptr_t*>(store.slot));
  uintptr_t expected = store.expected;
  // release: a thread that calls through the slot sees the memory that this thread has prepared.
  const bool is_stored = slot.compare_exchange_strong(
      expected, store.value, std::memory_order_release, std::memory_order_relaxed);
  if (!is_writable && !SetProtection(page, page_size, store.protection)) {
    return StoreOutcome::kProtected;
  }
  return is_stored ? StoreOutcome::kStored : StoreOutcome::kChanged;
}

}  // namespace jprof
