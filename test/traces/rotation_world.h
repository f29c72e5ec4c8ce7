// RotationWorld: a storage, its rotation and some thread records, without signals or a JVM.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "os/pages.h"
#include "sigsafe/traces/test_stack.h"
#include "traces/trace_rotation.h"

namespace jprof::test {

class RotationWorld {
 public:
  explicit RotationWorld(size_t memory_bytes = 16 << 20, uint32_t threads = 4) {
    for (uint32_t i = 0; i < threads; ++i) records_.Claim(Tid{static_cast<int32_t>(i + 1)});
    auto created = TraceRotation::Create(storage_, records_, memory_bytes);
    EXPECT_TRUE(created.ok());
    rotation_ = std::move(created).value();
    rotation_->Activate();
  }
  ~RotationWorld() { EXPECT_TRUE(rotation_->Deactivate()); }

  TraceRotation* operator->() { return rotation_.get(); }
  CallTraceStorage& storage() { return storage_; }
  GuardCells& cells(uint32_t thread = 0) { return records_.At(thread)->guards; }

  TraceId Put(const TestStack& stack, uint32_t thread = 0) {
    const TraceId id = PutInActive(storage_, cells(thread), stack.AsStack());
    if (id != kDroppedTrace) Watch(id);
    return id;
  }

  // A handler of `thread` that is stalled in the middle of a sample.
  std::unique_ptr<CallTraceStorage::Guard> Hold(uint32_t thread) {
    // NOLINTNEXTLINE(modernize-make-unique): a guard is made in its place; it cannot be moved
    return std::unique_ptr<CallTraceStorage::Guard>(
        new CallTraceStorage::Guard(storage_.Enter(cells(thread))));
  }

  // Has Rotate() look for the id; Put does.
  void Watch(TraceId id) { watched_.insert(id); }

  // What one rotation does.
  struct Rotated {
    bool flipped = false;
    uint32_t last_epoch = 0;
    std::set<TraceId> gone;  // of the watched ids: found while stacks are written, and not after
  };
  Rotated Rotate() {
    Rotated rotated;
    rotated.flipped =
        rotation_->ProcessTraces([&](uint32_t last_epoch) { rotated.last_epoch = last_epoch; },
                                 [&] {
                                   for (const TraceId id : watched_) {
                                     EXPECT_NE(rotation_->Find(id), nullptr);
                                   }
                                 });
    for (const TraceId id : watched_) {
      if (rotation_->Find(id) == nullptr) rotated.gone.insert(id);
    }
    for (const TraceId id : rotated.gone) watched_.erase(id);
    return rotated;
  }

 private:
  Pages pages_ = std::move(Pages::Reserve(ThreadRecords::kRegionSize)).value();
  ThreadRecords records_{pages_.region()};
  CallTraceStorage storage_;
  std::unique_ptr<TraceRotation> rotation_;
  std::set<TraceId> watched_;
};

inline uint32_t EpochOf(TraceId id) { return static_cast<uint32_t>(Value(id) >> 32); }

}  // namespace jprof::test
