#include "loader_lock/slot_walk.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "loader_lock/object_copy.h"
#include "os/memory_protection.h"

namespace jprof {
namespace {

constexpr std::string_view kWalkedNames[] = {"getppid"};

// A library that calls getppid through an import slot.
class Library {
 public:
  Library() : handle_(dlopen(JPROF_HOOKED_CALLS, RTLD_NOW)) {
    EXPECT_NE(handle_, nullptr) << dlerror();
    code_ = reinterpret_cast<uintptr_t>(dlsym(handle_, "CallGetppid"));
  }
  ~Library() { Close(); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  void Close() {
    if (handle_ != nullptr) dlclose(std::exchange(handle_, nullptr));
  }
  pid_t Call() const { return reinterpret_cast<pid_t (*)()>(code_)(); }
  bool Holds(const ImportSlot& slot) const {
    return slot.object.begin <= code_ && code_ < slot.object.end;
  }

 private:
  void* handle_;
  uintptr_t code_;
};

std::vector<ImportSlot> Find(uint64_t additions) {
  const SlotSearch search{kWalkedNames, additions, 0};
  std::vector<ImportSlot> slots(FindSlots(search, {}).slots);
  FindSlots(search, slots);
  return slots;
}

size_t SlotsOf(const Library& library, uint64_t additions) {
  const std::vector<ImportSlot> slots = Find(additions);
  return static_cast<size_t>(
      std::ranges::count_if(slots, [&](const ImportSlot& slot) { return library.Holds(slot); }));
}

pid_t Answer42() { return 42; }

SlotStore StoreOfAnswer(const Library& library) {
  const std::vector<ImportSlot> slots = Find(ReadLoadCounts().loads);
  const auto own =
      std::ranges::find_if(slots, [&](const ImportSlot& slot) { return library.Holds(slot); });
  EXPECT_NE(own, slots.end());
  const auto protection = MemoryProtection::Snapshot();
  return {own->address, own->value, reinterpret_cast<uintptr_t>(&Answer42),
          protection.value().Of(own->address)};
}

TEST(SlotWalkTest, LeavesOutObjectsThatWereLoadedLater) {
  const uint64_t before = ReadLoadCounts().loads;
  const Library library;
  EXPECT_EQ(SlotsOf(library, before), 0u);
  EXPECT_EQ(SlotsOf(library, ReadLoadCounts().loads), 1u);
}

TEST(SlotWalkTest, StoresToTheLibraryAndRestoresItsValue) {
  const Library library;
  SlotStore store = StoreOfAnswer(library);
  EXPECT_EQ(StoreSlots(ReadLoadCounts().loads, {&store, 1}), 0u);
  EXPECT_EQ(store.outcome, StoreOutcome::kStored);
  EXPECT_EQ(library.Call(), 42);
  std::swap(store.expected, store.value);
  StoreSlots(ReadLoadCounts().loads, {&store, 1});
  EXPECT_EQ(library.Call(), getppid());
}

TEST(SlotWalkTest, StoresNothingIfAnotherObjectMightBeAtTheAddress) {
  const uint64_t before = ReadLoadCounts().loads;
  const Library library;
  SlotStore store = StoreOfAnswer(library);
  EXPECT_EQ(StoreSlots(before, {&store, 1}), 1u);
  EXPECT_EQ(store.outcome, StoreOutcome::kNotSeen);
  EXPECT_EQ(library.Call(), getppid());
}

TEST(SlotWalkTest, StoresNothingIntoAnUnloadedObject) {
  Library library;
  SlotStore store = StoreOfAnswer(library);
  library.Close();
  StoreSlots(ReadLoadCounts().loads, {&store, 1});
  EXPECT_EQ(store.outcome, StoreOutcome::kNotSeen);
}

TEST(SlotWalkTest, LeavesASlotThatHasChanged) {
  const Library library;
  SlotStore store = StoreOfAnswer(library);
  ++store.expected;
  StoreSlots(ReadLoadCounts().loads, {&store, 1});
  EXPECT_EQ(store.outcome, StoreOutcome::kChanged);
  EXPECT_EQ(library.Call(), getppid());
}

TEST(SlotWalkTest, LeavesEveryProtectionAsItWas) {
  constexpr int kProtections[] = {PROT_READ, PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC,
                                  PROT_READ | PROT_WRITE | PROT_EXEC};
  for (const int protection : kProtections) {
    const auto page_size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    void* const page = mmap(nullptr, page_size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(page, MAP_FAILED);
    const uintptr_t slot = reinterpret_cast<uintptr_t>(page) + 64;
    EXPECT_EQ(StoreSlot({slot, 0, 0x1234, protection}), StoreOutcome::kStored);
    EXPECT_EQ(*reinterpret_cast<uintptr_t*>(slot), 0x1234u);
    EXPECT_EQ(StoreSlot({slot, 1, 2, protection}), StoreOutcome::kChanged);
    EXPECT_EQ(MemoryProtection::Snapshot().value().Of(slot), protection);
    munmap(page, page_size);
  }
}

TEST(SlotWalkTest, RefusesAMissingPage) {
  EXPECT_EQ(StoreSlot({4096, 0, 1, PROT_NONE}), StoreOutcome::kProtected);
}

}  // namespace
}  // namespace jprof
