#include "elf/import_hook.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "loader_lock/object_copy.h"
#include "loader_lock/slot_walk.h"
#include "os/native_thread.h"
#include "os/stoppable_thread.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

// The number of objects that are known to be ready for use. All hooks share it: a start of the
// sampler installs several hooks, and only the first one has to wait until objects are ready.
// Relaxed order is enough: the dynamic linker's lock orders the loading of the objects.
std::atomic<uint64_t> g_ready{0};

// Serialises the passes of all hooks: no pass may see a page that another pass has made writable
// for a moment. The address of this mutex also identifies our own object, which is not covered.
constinit std::mutex g_passes;

// The maximum number of rounds of Restore. If objects are loaded during a round, another round is
// needed, and other threads can load objects in every round. Wrappers that are left after the last
// round stay in their slots, and forward calls to the originals.
constexpr int kRestoreRounds = 16;

// The slots that FindAllSlots has found in the first `additions` objects that were loaded.
struct Slots {
  std::vector<ImportSlot> found;
  bool some_left_out;  // true if later objects were left out
};

Slots FindAllSlots(const ImportWrappers& wrappers, uint64_t additions) {
  const SlotSearch search{wrappers.names(), additions, reinterpret_cast<uintptr_t>(&g_passes)};
  std::vector<ImportSlot> found(256);
  SlotCounts counts = FindSlots(search, found);
  while (counts.slots > found.size()) {
    found.resize(counts.slots + counts.slots / 4);
    counts = FindSlots(search, found);
  }
  found.resize(counts.slots);
  return {std::move(found), counts.added_since != 0};
}

uint64_t StoreAll(uint64_t additions, std::vector<SlotStore>& stores) {
  std::ranges::sort(stores, {}, &SlotStore::slot);
  return StoreSlots(additions, stores);
}

// Returns the functions to which the dynamic linker would bind lazy slots at their first call.
std::vector<uintptr_t> Resolve(std::span<const std::string_view> names) {
  std::vector<uintptr_t> resolved;
  for (const std::string_view name : names) {
    resolved.push_back(reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, std::string(name).c_str())));
  }
  return resolved;
}

}  // namespace

struct LoadingWait::Round {
  Round(uint64_t count, StopEvent event) : additions(count), ended(std::move(event)) {}

  const uint64_t additions;
  StopEvent ended;

  // Runs on the thread that waits. Takes the dynamic linker's lock and releases it.
  void Run() {
    void* const self = dlopen(nullptr, RTLD_LAZY);
    if (self != nullptr) dlclose(self);
    ended.Set();
  }
};

std::optional<uint64_t> LoadingWait::Await(uint64_t additions, Nanos patience_ns) {
  if (g_ready.load(std::memory_order_relaxed) >= additions) return additions;
  const std::shared_ptr<Round> round = CurrentRound(additions);
  if (round == nullptr || !round->ended.WaitUntil(MonotonicNanos() + patience_ns)) {
    return std::nullopt;
  }
  const std::lock_guard lock(mutex_);
  if (round_ == round) round_ = nullptr;
  uint64_t ready = g_ready.load(std::memory_order_relaxed);
  while (ready < round->additions && !g_ready.compare_exchange_weak(ready, round->additions)) {
  }
  return round->additions;
}

// Returns the running round; starts one if none is running. So one thread waits, however many
// callers there are.
std::shared_ptr<LoadingWait::Round> LoadingWait::CurrentRound(uint64_t additions) {
  const std::lock_guard lock(mutex_);
  if (round_ != nullptr) return round_;
  Result<StopEvent> ended = StopEvent::Create();
  if (!ended) return nullptr;
  auto round = std::make_shared<Round>(additions, std::move(ended).value());
  Result<NativeThread> thread = NativeThread::Start("jprof-loading", [round] { round->Run(); });
  if (!thread) return nullptr;
  thread.value().Detach();
  return round_ = std::move(round);
}

struct ImportHook::Pass {
  std::unordered_map<uintptr_t, Covered> slots;    // slots known before, or stored by this pass
  std::unordered_map<uintptr_t, Covered> planned;  // entries for `slots` once their stores succeed
  std::vector<SlotStore> stores;
  std::optional<MemoryProtection> protection;
  size_t refused = 0;
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

// An object appears in dl_iterate_phdr before it is relocated. Until the relocation has ended, the
// dynamic linker writes the object's slots and protects their pages. So this function counts the
// objects, waits for all that are being loaded, and leaves out those that were added after the
// count. It does not hold g_passes during the wait, because it waits for code of the program.
void ImportHook::CoverNewLibraries() {
  const uint64_t additions = ReadLoadCounts().loads;
  if (covered_additions_.load(std::memory_order_relaxed) == additions) return;
  const std::optional<uint64_t> ready = loading_.Await(additions, kPatienceNs);
  if (!ready) return;
  const std::lock_guard lock(g_passes);
  Cover(*ready);
}

void ImportHook::Cover(uint64_t additions) {
  const Slots slots = FindAllSlots(wrappers_, additions);
  Pass pass;
  for (const ImportSlot& slot : slots.found) {
    if (wrappers_.Wants(slot)) PlanCover(slot, pass);
  }
  StoreAll(additions, pass.stores);
  const bool is_complete = TakeOutcomes(pass);
  // A slot that this pass did not see is gone, unless its object was left out.
  if (slots.some_left_out) pass.slots.merge(slots_);
  slots_ = std::move(pass.slots);
  refused_ = pass.refused;
  if (is_complete) covered_additions_.store(additions, std::memory_order_relaxed);
}

void ImportHook::PlanCover(const ImportSlot& slot, Pass& pass) const {
  const auto known = slots_.find(slot.address);
  if (known != slots_.end()) pass.slots.insert(*known);
  if (OriginalOfWrapper(slot.value) != 0) return;
  if (pass.planned.contains(slot.address)) return;  // a second relocation of the slot
  // A slot that has lost our wrapper is covered again only if it contains its previous value or the
  // original: then the dynamic linker or the end of another hook has written the slot, or the
  // library was loaded again. Any other value comes from a hook of other software, and stays.
  if (known != slots_.end() && slot.value != known->second.previous &&
      slot.value != known->second.original) {
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
  const uintptr_t original = OriginalFor(slot, *pass.protection);
  if (original == 0) return;
  void* const wrapper = wrappers_.For(slot.name, reinterpret_cast<void*>(original));
  if (wrapper == nullptr) {
    ++pass.refused;
    return;
  }
  pass.planned[slot.address] = {slot.value, original};
  pass.stores.push_back({slot.address, slot.value, reinterpret_cast<uintptr_t>(wrapper),
                         pass.protection->Of(slot.address)});
}

// Records the outcomes of the stores. Returns false if the next pass must look at the same objects
// again, because a slot was lazy or has changed. A thread that is just binding a lazy slot can
// still overwrite our wrapper, and a changed slot might need another wrapper.
bool ImportHook::TakeOutcomes(Pass& pass) {
  bool is_complete = true;
  for (const SlotStore& store : pass.stores) {
    switch (store.outcome) {
      case StoreOutcome::kStored:
        pass.slots[store.slot] = pass.planned.at(store.slot);
        is_complete &= pass.slots[store.slot].previous == pass.slots[store.slot].original;
        break;
      case StoreOutcome::kProtected:
        ++pass.refused;
        break;
      case StoreOutcome::kNotSeen:
      case StoreOutcome::kChanged:
        is_complete = false;
        break;
    }
  }
  return is_complete;
}

// Returns the function that a wrapper in the slot must call. Returns 0 if the slot contains no
// address of code, as for a weak import that no library defines.
uintptr_t ImportHook::OriginalFor(const ImportSlot& slot,
                                  const MemoryProtection& protection) const {
  if (slot.is_lazy) return resolved_[slot.name];
  return (protection.Of(slot.value) & PROT_EXEC) != 0 ? slot.value : 0;
}

void ImportHook::Restore() {
  const std::lock_guard lock(g_passes);
  for (int round = 0; round < kRestoreRounds; ++round) {
    if (RestoreOnce()) break;
  }
  slots_.clear();
}

// Restores each slot that contains one of our wrappers. Returns false if another round is needed,
// because objects were loaded meanwhile.
bool ImportHook::RestoreOnce() {
  const uint64_t additions = ReadLoadCounts().loads;
  const Slots slots = FindAllSlots(wrappers_, additions);
  std::vector<SlotStore> stores;
  for (const ImportSlot& slot : slots.found) {
    const uintptr_t original = OriginalOfWrapper(slot.value);
    if (original == 0) continue;
    // If slots_ has no entry for the slot, other software has copied our wrapper from another slot.
    // The slot then gets the wrapper's original.
    const auto known = slots_.find(slot.address);
    const uintptr_t value = known != slots_.end() ? known->second.previous : original;
    stores.push_back({slot.address, slot.value, value, 0});
  }
  if (stores.empty()) return !slots.some_left_out;
  const Result<MemoryProtection> protection = MemoryProtection::Snapshot();
  if (!protection) return true;  // the wrappers stay, and forward calls
  for (SlotStore& store : stores) store.protection = protection.value().Of(store.slot);
  const bool some_left_out = StoreAll(additions, stores) != 0;
  return !slots.some_left_out && !some_left_out;
}

size_t ImportHook::refused_slots() const {
  const std::lock_guard lock(g_passes);
  return refused_;
}

}  // namespace jprof
