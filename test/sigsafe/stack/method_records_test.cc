#include "sigsafe/stack/method_records.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "sigsafe/hotspot/fake_vm.h"
#include "sigsafe/hotspot/java_method.h"
#include "sigsafe/stack/call_trace_hash_table.h"

namespace jprof {
namespace {

using test::FakeVm;

class MethodRecordsTest : public testing::Test {
 protected:
  static constexpr size_t kBytes = 1 << 20;

  uint64_t IdOf(uint64_t method) const {
    JavaMethod java;
    EXPECT_TRUE(LoadJavaMethod(vm_.layout(), method, &java));
    return java.id;
  }

  bool Add(uint64_t method) { return records_.Add(vm_.layout(), method, IdOf(method), arena_); }
  const MethodRecord* Find(uint64_t method) const { return records_.Find(IdOf(method), arena_); }

  FakeVm vm_;
  std::unique_ptr<uint64_t[]> memory_ = std::make_unique<uint64_t[]>(kBytes / sizeof(uint64_t));
  Arena arena_{Region{memory_.get(), kBytes}};
  MethodRecords records_;
};

TEST_F(MethodRecordsTest, ARecordHasTheTextsOfTheMethodAndItsClass) {
  const uint64_t method = vm_.AddMethod(7, 5,
                                        {.class_name = "b/C",
                                         .name = "run",
                                         .descriptor = "()V",
                                         .source_file = "C.kt",
                                         .lines = "\x0a\x13",
                                         .loader_class = "b/Loader",
                                         .loader_name = "x"});
  EXPECT_EQ(Find(method), nullptr);
  ASSERT_TRUE(Add(method));
  const MethodRecord* record = Find(method);
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->name(), "run");
  EXPECT_EQ(record->descriptor(), "()V");
  EXPECT_EQ(record->lines(), "\x0a\x13");
  ASSERT_NE(record->declaring, nullptr);
  EXPECT_EQ(record->declaring->name(), "b/C");
  EXPECT_EQ(record->declaring->source_file(), "C.kt");
  EXPECT_EQ(record->declaring->loader_class(), "b/Loader");
  EXPECT_EQ(record->declaring->loader_name(), "x");
  EXPECT_TRUE(record->declaring->has_loader);
}

TEST_F(MethodRecordsTest, AMethodThatIsThereIsNotCopiedAgain) {
  const uint64_t method = vm_.AddMethod(7, 5);
  ASSERT_TRUE(Add(method));
  const size_t used = arena_.used();
  ASSERT_TRUE(Add(method));
  EXPECT_EQ(arena_.used(), used);
}

TEST_F(MethodRecordsTest, MethodsOfOneClassShareItsTexts) {
  const uint64_t first = vm_.AddMethod(7, 5, {.name = "first"});
  const uint64_t second = vm_.AddMethod(7, 6, {.name = "second"});
  const uint64_t other = vm_.AddMethod(8, 6, {.name = "third"});
  for (const uint64_t method : {first, second, other}) ASSERT_TRUE(Add(method));
  EXPECT_EQ(Find(first)->declaring, Find(second)->declaring);
  EXPECT_NE(Find(first)->declaring, Find(other)->declaring);
}

TEST_F(MethodRecordsTest, AMethodThatIsNoLongerThereHasNoNames) {
  const uint64_t method = vm_.AddMethod(7, 5);
  const uint64_t id = IdOf(method);
  vm_.SetClassNumber(method, 8);
  ASSERT_TRUE(records_.Add(vm_.layout(), method, id, arena_));
  const MethodRecord* record = records_.Find(id, arena_);
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->declaring, nullptr);
  EXPECT_EQ(record->name(), "");
}

TEST_F(MethodRecordsTest, WithoutRoomAMethodIsRefused) {
  Arena full(Region{memory_.get(), 16});
  const uint64_t method = vm_.AddMethod(7, 5);
  EXPECT_FALSE(records_.Add(vm_.layout(), method, IdOf(method), full));
  EXPECT_EQ(records_.Find(IdOf(method), full), nullptr);
}

TEST_F(MethodRecordsTest, ClearRemovesAllRecords) {
  const uint64_t method = vm_.AddMethod(7, 5);
  ASSERT_TRUE(Add(method));
  records_.Clear();
  EXPECT_EQ(Find(method), nullptr);
}

TEST_F(MethodRecordsTest, ThreadsThatAddTheSameMethodsLoseNone) {
  constexpr int kThreads = 4;
  constexpr uint64_t kMethods = 300;
  std::vector<uint64_t> methods;
  for (uint64_t i = 0; i < kMethods; ++i) {
    methods.push_back(
        vm_.AddMethod(1 + i, static_cast<uint16_t>(i + 1), {.name = "m" + std::to_string(i)}));
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (const uint64_t method : methods) EXPECT_TRUE(Add(method));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (uint64_t i = 0; i < kMethods; ++i) {
    const MethodRecord* record = Find(methods[i]);
    ASSERT_NE(record, nullptr);
    EXPECT_EQ(record->name(), "m" + std::to_string(i));
  }
}

// ---- the table of stacks

class NamedStacksTest : public MethodRecordsTest {
 protected:
  NamedStacksTest() {
    auto* index = CallTraceIndex::In({index_.get(), CallTraceIndex::RegionSize(kSlots)}, kSlots);
    table_->Begin(1, index, {memory_.get(), kBytes});
  }

  static constexpr uint32_t kSlots = 64;
  std::unique_ptr<uint64_t[]> index_ =
      std::make_unique<uint64_t[]>(CallTraceIndex::RegionSize(kSlots) / sizeof(uint64_t) + 1);
  std::unique_ptr<CallTraceHashTable> table_ = std::make_unique<CallTraceHashTable>();
};

TEST_F(NamedStacksTest, TheNamesOfAStacksMethodsAreFound) {
  const uint64_t method = vm_.AddMethod(7, 5, {.name = "leaf"});
  const uint64_t caller = vm_.AddMethod(8, 5, {.name = "root"});
  const Frame frames[] = {{IdOf(method), 1, FrameKind::kC2Compiled},
                          NativeFrame(Pc{16}),
                          {IdOf(caller), 2, FrameKind::kInterpreted}};
  const uint64_t methods[] = {method, 0, caller};
  Stack stack{frames, 3, false};
  stack.methods = methods;
  stack.vm = &vm_.layout();
  EXPECT_NE(table_->Put(stack), kDroppedCallTrace);
  ASSERT_NE(table_->FindMethod(IdOf(method)), nullptr);
  EXPECT_EQ(table_->FindMethod(IdOf(method))->name(), "leaf");
  EXPECT_EQ(table_->FindMethod(IdOf(caller))->name(), "root");
}

TEST_F(NamedStacksTest, AStackBegunFurtherUpHasTheMethodsOfItsFrames) {
  const uint64_t method = vm_.AddMethod(7, 5, {.name = "leaf"});
  const uint64_t caller = vm_.AddMethod(8, 5, {.name = "root"});
  const Frame frames[] = {{IdOf(method), 1, FrameKind::kC2Compiled},
                          {IdOf(caller), 2, FrameKind::kInterpreted}};
  const uint64_t methods[] = {method, caller};
  Stack stack{frames, 2, false};
  stack.methods = methods;
  stack.vm = &vm_.layout();
  stack.MoveBegin(1);
  EXPECT_EQ(stack.count, 1u);
  EXPECT_NE(table_->Put(stack), kDroppedCallTrace);
  EXPECT_EQ(table_->FindMethod(IdOf(method)), nullptr);
  EXPECT_EQ(table_->FindMethod(IdOf(caller))->name(), "root");
  stack.MoveBegin(-1);
  EXPECT_EQ(stack.count, 2u);
  EXPECT_NE(table_->Put(stack), kDroppedCallTrace);
  EXPECT_EQ(table_->FindMethod(IdOf(method))->name(), "leaf");
}

TEST_F(NamedStacksTest, AStackWithoutRoomForItsNamesIsDropped) {
  table_->Begin(2, CallTraceIndex::In({index_.get(), CallTraceIndex::RegionSize(kSlots)}, kSlots),
                {memory_.get(), 64});
  const uint64_t method = vm_.AddMethod(7, 5);
  const Frame frame{IdOf(method), 1, FrameKind::kC2Compiled};
  Stack stack{&frame, 1, false};
  stack.methods = &method;
  stack.vm = &vm_.layout();
  EXPECT_EQ(table_->Put(stack), kDroppedCallTrace);
}

}  // namespace
}  // namespace jprof
