// RegistryTest has a registry with slots of its own, and a listener that checks the order of
// events.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>

#include "os/pages.h"
#include "sigsafe/threads/current_thread.h"
#include "threads/thread_registry.h"

namespace jprof::test {

constexpr uint32_t kNoHint = ThreadSlots::kCapacity;

inline JavaThreadInfo JavaNamed(const char* name, int64_t id = 1) { return {name, id, {"main"}}; }

// BookKeeper records the starts and ends of threads. Fails the test at an event that is out of
// order.
class BookKeeper : public ThreadListener {
 public:
  void OnThreadStart(ThreadSlot& thread, Observed) override {
    EXPECT_TRUE(live.insert(thread.serial.load()).second) << "started twice";
    EXPECT_EQ(ended.count(thread.serial.load()), 0u) << "started after its end";
    EXPECT_NE(thread.tid.load(), Tid{0});
  }
  void OnThreadEnd(ThreadSlot& thread, const EndOfThread&) override {
    EXPECT_EQ(live.erase(thread.serial.load()), 1u) << "ended without a start";
    EXPECT_TRUE(ended.insert(thread.serial.load()).second) << "ended twice";
  }

  // Serials of threads; accessed under the registry's lock.
  std::set<uint32_t> live;
  std::set<uint32_t> ended;
};

class RegistryTest : public testing::Test {
 protected:
  explicit RegistryTest(TaskFiles& files = TaskFiles::OfThisProcess())
      : registry_(slots_, java_threads_, files) {
    registry_.AddListener(&books_);
  }
  ~RegistryTest() override { SetCurrentThread(nullptr); }

  // Begins another run of the registry, with the same listener.
  void Begin() {
    registry_.RemoveListener(&books_);
    books_.live.clear();
    registry_.Begin({});
    registry_.AddListener(&books_);
  }

  void Rescan() { ASSERT_TRUE(registry_.Rescan().ok()); }

  // Returns the registered slot of a thread; nullptr if there is none.
  ThreadSlot* SlotOf(Tid tid) {
    ThreadSlot* found = nullptr;
    registry_.ForEach([&](ThreadSlot& thread) {
      if (thread.tid.load() != tid) return;
      EXPECT_EQ(found, nullptr) << "two slots for one thread";
      found = &thread;
    });
    return found;
  }

  uint32_t SerialOf(Tid tid) {
    const ThreadSlot* slot = SlotOf(tid);
    return slot == nullptr ? 0 : slot->serial.load();
  }

  Pages pages_ = std::move(Pages::Reserve(ThreadSlots::kRegionSize)).value();
  ThreadSlots slots_{pages_.region()};
  Pages filter_pages_ = std::move(Pages::Reserve(JavaThreadFilter::kRegionSize)).value();
  JavaThreadFilter java_threads_{filter_pages_.region()};
  ThreadRegistry registry_;
  BookKeeper books_;
};

}  // namespace jprof::test
