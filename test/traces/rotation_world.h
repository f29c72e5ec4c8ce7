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
    return storage_.Put(cells(thread), stack.AsStack());
  }

  // A handler of `thread` that is stalled in the middle of a sample.
  std::unique_ptr<CallTraceStorage::Guard> Hold(uint32_t thread) {
    return std::unique_ptr<CallTraceStorage::Guard>(
        new CallTraceStorage::Guard(storage_.Enter(cells(thread))));
  }

  // What one rotation hands over.
  struct Handed {
    bool flipped = false;
    uint32_t last_epoch = 0;
    std::multiset<TraceId> ids;
  };
  Handed Rotate() {
    Handed handed;
    handed.flipped =
        rotation_->ProcessTraces([&](uint32_t last_epoch) { handed.last_epoch = last_epoch; },
                                 [&](const TraceRotation::Traces& traces) {
                                   traces.ForEach([&](TraceId id, const CallTrace& trace) {
                                     EXPECT_EQ(rotation_->Find(id), &trace);
                                     handed.ids.insert(id);
                                   });
                                 });
    return handed;
  }

 private:
  Pages pages_ = std::move(Pages::Reserve(ThreadRecords::kRegionSize)).value();
  ThreadRecords records_{pages_.region()};
  CallTraceStorage storage_;
  std::unique_ptr<TraceRotation> rotation_;
};

inline uint32_t EpochOf(TraceId id) { return static_cast<uint32_t>(Value(id) >> 32); }

}  // namespace jprof::test
