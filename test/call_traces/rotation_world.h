// RotationWorld has a storage, a rotation of it and some thread slots, without signals and without
// a JVM.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "call_traces/call_trace_rotation.h"
#include "os/pages.h"
#include "sigsafe/stack/test_stack.h"

namespace jprof::test {

class RotationWorld {
 public:
  explicit RotationWorld(size_t memory_bytes = 16 << 20, uint32_t threads = 4) {
    for (uint32_t i = 0; i < threads; ++i) records_.Claim(Tid{static_cast<int32_t>(i + 1)});
    auto created = CallTraceRotation::Create(storage_, records_, memory_bytes);
    EXPECT_TRUE(created.ok());
    rotation_ = std::move(created).value();
    rotation_->Activate();
  }
  ~RotationWorld() { EXPECT_TRUE(rotation_->Deactivate()); }

  CallTraceRotation* operator->() { return rotation_.get(); }
  CallTraceStorage& storage() { return storage_; }
  GuardCells& cells(uint32_t thread = 0) { return records_.At(thread)->guards; }

  CallTraceId Put(const TestStack& stack, uint32_t thread = 0) {
    const CallTraceId id = PutInActive(storage_, cells(thread), stack.AsStack());
    if (id != kDroppedCallTrace) Watch(id);
    return id;
  }

  // Returns the guard of a handler of `thread` that is stalled in the middle of a sample.
  std::unique_ptr<CallTraceStorage::Guard> Hold(uint32_t thread) {
    // NOLINTNEXTLINE(modernize-make-unique): a guard is made in place; it cannot be moved
    return std::unique_ptr<CallTraceStorage::Guard>(
        new CallTraceStorage::Guard(storage_.Enter(cells(thread))));
  }

  // Makes Rotate() look for the id. Put calls Watch for the id that it returns.
  void Watch(CallTraceId id) { watched_.insert(id); }

  // The observed effects of one rotation.
  struct Rotated {
    bool flipped = false;
    uint32_t last_epoch = 0;
    // Watched ids that are found while stacks are written, and not afterwards.
    std::set<CallTraceId> gone;
  };
  Rotated Rotate() {
    Rotated rotated;
    rotated.flipped =
        rotation_->ProcessCallTraces([&](uint32_t last_epoch) { rotated.last_epoch = last_epoch; },
                                     [&] {
                                       for (const CallTraceId id : watched_) {
                                         EXPECT_NE(rotation_->Find(id), nullptr);
                                       }
                                     });
    for (const CallTraceId id : watched_) {
      if (rotation_->Find(id) == nullptr) rotated.gone.insert(id);
    }
    for (const CallTraceId id : rotated.gone) watched_.erase(id);
    return rotated;
  }

 private:
  Pages pages_ = std::move(Pages::Reserve(ThreadSlots::kRegionSize)).value();
  ThreadSlots records_{pages_.region()};
  CallTraceStorage storage_;
  std::unique_ptr<CallTraceRotation> rotation_;
  std::set<CallTraceId> watched_;
};

inline uint32_t EpochOf(CallTraceId id) { return static_cast<uint32_t>(Value(id) >> 32); }

}  // namespace jprof::test
