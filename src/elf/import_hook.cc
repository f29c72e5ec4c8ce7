#include "elf/import_hook.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "os/loaded_objects.h"

namespace jprof {
namespace {

// Of all hooks: a pass of one must not see a page that another has made writable for a moment.
// (glibc's dl_iterate_phdr lets in one thread at a time, but does not promise that.) Its address
// also tells which object is ours.
constinit std::mutex g_passes;

// Calls visit(info) for each loaded object, until it returns false.
template <typename Visit>
void ForEachObject(Visit visit) {
  WalkLoadedObjects([](dl_phdr_info* info, size_t,
                       void* data) { return (*static_cast<Visit*>(data))(*info) ? 0 : 1; },
                    &visit);
}

uint64_t Additions() {
  uint64_t additions = 0;
  ForEachObject([&](const dl_phdr_info& info) {
    additions = info.dlpi_adds;
    return false;
  });
  return additions;
}

bool IsOurs(const LoadedObject& object) {
  return object.Holds(reinterpret_cast<uintptr_t>(&g_passes), sizeof g_passes, PF_W);
}

uintptr_t ValueOf(const ImportSlot& slot) {
  // acquire: pairs with the store of whoever put a hook there. The slot belongs to the dynamic
  // linker, which resolves it with a plain store of a word.
  return std::atomic_ref<uintptr_t>(*reinterpret_cast<uintptr_t*>(slot.address))
      .load(std::memory_order_acquire);
}

// Leads into code of its own object, and not to a definition there: to the PLT entry that will bind
// the slot when it is called first.
bool IsLazy(const LoadedObject& object, const ImportSlot& slot, uintptr_t value) {
  return object.Holds(value, 1, PF_X) && value != slot.own_definition;
}

// As the dynamic linker would for a slot that is bound at its first call. Outside dl_iterate_phdr:
// dlsym may take a lock that is taken before that one's.
std::vector<uintptr_t> Resolve(std::span<const std::string_view> names) {
  std::vector<uintptr_t> resolved;
  for (const std::string_view name : names) {
    resolved.push_back(reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, std::string(name).c_str())));
  }
  return resolved;
}

}  // namespace

struct ImportHook::Pass {
  std::unordered_map<uintptr_t, Covered> slots;
  std::optional<MemoryProtection> protection;
  size_t refused = 0;
  bool filled_lazy_slot = false;
};

ImportHook::ImportHook(ImportWrappers& wrappers)
    : wrappers_(wrappers), resolved_(Resolve(wrappers.names())) {}

std::unique_ptr<ImportHook> ImportHook::Install(ImportWrappers& wrappers) {
  std::unique_ptr<ImportHook> hook(new ImportHook(wrappers));
  hook->CoverNewLibraries();
  return hook;
}

ImportHook::~ImportHook() { Restore(); }

uintptr_t ImportHook::OriginalOfWrapper(uintptr_t function) const {
  return reinterpret_cast<uintptr_t>(wrappers_.OriginalOf(reinterpret_cast<const void*>(function)));
}

// An object appears in dl_iterate_phdr before it is relocated: the linker still writes its slots
// then, and protects their pages. So count, wait for all that is being loaded, and leave out what
// has been added since. The wait is outside our lock: it is for code of the program.
void ImportHook::CoverNewLibraries() {
  const uint64_t additions = Additions();
  if (covered_additions_.load(std::memory_order_relaxed) == additions) return;
  const std::optional<uint64_t> ready = loading_.Await(additions, kPatienceNs);
  if (!ready) return;
  const std::lock_guard lock(g_passes);
  Cover(*ready);
}

// New objects come at the end of the list (glibc 2.36 elf/dl-object.c, _dl_add_to_namespace_list):
// those added since are among the last so many.
void ImportHook::Cover(uint64_t additions) {
  Pass pass;
  std::vector<dl_phdr_info> objects;  // valid until the walk ends
  uint64_t added_since = 0;
  ForEachObject([&](const dl_phdr_info& info) {
    added_since = info.dlpi_adds - additions;
    objects.push_back(info);
    if (objects.size() <= added_since) return true;
    const LoadedObject object(objects[objects.size() - 1 - added_since]);
    if (IsOurs(object)) return true;
    for (const ImportSlot& slot : object.FindImports(wrappers_.names())) {
      if (wrappers_.Wants(object, slot.name)) CoverSlot(object, slot, pass);
    }
    return true;
  });
  // A slot that was not seen is gone, unless its object was left out.
  if (added_since != 0) pass.slots.merge(slots_);
  slots_ = std::move(pass.slots);
  refused_ = pass.refused;
  // A thread that was just binding a slot may still write over ours: the next call looks again.
  if (!pass.filled_lazy_slot) covered_additions_.store(additions, std::memory_order_relaxed);
}

void ImportHook::CoverSlot(const LoadedObject& object, const ImportSlot& slot, Pass& pass) {
  const uintptr_t value = ValueOf(slot);
  const auto known = slots_.find(slot.address);
  if (known != slots_.end()) pass.slots.insert(*known);
  if (OriginalOfWrapper(value) != 0) return;
  // Not ours any more: somebody's hook over ours is left there; a value that the slot had before
  // is one that the linker or a leaving hook has written, or a library that was loaded anew.
  if (known != slots_.end() && value != known->second.previous && value != known->second.original) {
    return;
  }
  if (!pass.protection) {
    Result<MemoryProtection> protection = MemoryProtection::Snapshot();
    if (!protection) {
      ++pass.refused;
      return;
    }
    pass.protection = std::move(protection).value();
  }
  const uintptr_t original = OriginalFor(object, slot, value, *pass.protection);
  if (original == 0) return;
  void* const wrapper = wrappers_.For(slot.name, reinterpret_cast<void*>(original));
  if (wrapper == nullptr ||
      !pass.protection->Store(slot.address, reinterpret_cast<uintptr_t>(wrapper))) {
    ++pass.refused;
    return;
  }
  pass.slots[slot.address] = {value, original};
  pass.filled_lazy_slot |= value != original;
}

// 0 if `value` is no code: a weak import that nothing defines.
uintptr_t ImportHook::OriginalFor(const LoadedObject& object, const ImportSlot& slot,
                                  uintptr_t value, const MemoryProtection& protection) const {
  if (IsLazy(object, slot, value)) return resolved_[slot.name];
  return (protection.Of(value) & PROT_EXEC) != 0 ? value : 0;
}

void ImportHook::Restore() {
  const std::lock_guard lock(g_passes);
  std::optional<MemoryProtection> protection;
  ForEachObject([&](const dl_phdr_info& info) {
    const LoadedObject object(info);
    for (const ImportSlot& slot : object.FindImports(wrappers_.names())) {
      const uintptr_t original = OriginalOfWrapper(ValueOf(slot));
      if (original == 0) continue;
      if (!protection) {
        Result<MemoryProtection> snapshot = MemoryProtection::Snapshot();
        if (!snapshot) return false;  // the wrappers stay and forward
        protection = std::move(snapshot).value();
      }
      // A slot that we did not fill got our wrapper from somebody who had found it elsewhere.
      const auto known = slots_.find(slot.address);
      const uintptr_t value = known != slots_.end() ? known->second.previous : original;
      static_cast<void>(protection->Store(slot.address, value));  // else it forwards
    }
    return true;
  });
  slots_.clear();
}

size_t ImportHook::refused_slots() const {
  const std::lock_guard lock(g_passes);
  return refused_;
}

}  // namespace jprof
