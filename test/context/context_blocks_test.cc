#include "context/context_blocks.h"

#include <gtest/gtest.h>

#include <thread>

#include "context/tag_names.h"
#include "sigsafe/context/context_reader.h"

namespace jprof {
namespace {

TEST(ContextBlocksTest, APlatformThreadKeepsItsBlockUntilItEndsAndThenAnotherMayHaveIt) {
  ContextBlock* first = nullptr;
  std::thread([&] {
    first = ContextBlocks::OfProcess().OfThisThread();
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(ContextBlocks::OfProcess().OfThisThread(), first);
    EXPECT_EQ(first->address, first);
    EXPECT_EQ(OwnContextBlock(), first);
    ContextBlocks::OfProcess().EndThisThread();
    EXPECT_EQ(OwnContextBlock(), nullptr);
    EXPECT_EQ(ContextBlocks::OfProcess().OfThisThread(), nullptr) << "nobody would end it";
    ContextBlocks::OfProcess().BeginThisThread();
    EXPECT_EQ(ContextBlocks::OfProcess().OfThisThread(), first) << "as a Java thread once more";
    ContextBlocks::OfProcess().EndThisThread();
  }).join();
  std::thread([&] {
    EXPECT_EQ(ContextBlocks::OfProcess().OfThisThread(), first) << "memory is reused";
    ContextBlocks::OfProcess().EndThisThread();
  }).join();
}

TEST(ContextBlocksTest, TheBlockOfAVirtualThreadLivesAsLongAsAUserOfIt) {
  ContextBlocks& blocks = ContextBlocks::OfProcess();
  ContextBlock* const block = blocks.Attach(1001);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(blocks.Attach(1001), block) << "another copy of the Java class";
  EXPECT_NE(blocks.Attach(1002), block);
  blocks.Release(1001);
  EXPECT_EQ(TheVirtualContexts().Find(1001), block);
  EXPECT_EQ(block->virtual_thread.load(), 1001);
  blocks.Release(1001);
  EXPECT_EQ(TheVirtualContexts().Find(1001), nullptr);
  EXPECT_EQ(block->virtual_thread.load(), 0);
  blocks.Release(1001);
  EXPECT_EQ(blocks.Attach(1003), block) << "memory is reused";
  EXPECT_EQ(block->current.load(), nullptr);
  blocks.Release(1002);
  blocks.Release(1003);
}

TEST(ContextBlocksTest, ContextsThatCannotBeKeptAreCounted) {
  ContextBlocks& blocks = ContextBlocks::OfProcess();
  constexpr int64_t kFirst = 1'000'000;
  int64_t id = kFirst;
  while (blocks.Attach(id) != nullptr) ++id;
  EXPECT_GE(id - kFirst, int64_t{VirtualContexts::kPlaces} * 9 / 10);
  EXPECT_EQ(TheMissingContexts().no_memory.load(), 1u);
  blocks.Release(kFirst);
  EXPECT_EQ(blocks.Attach(id + 1), nullptr) << "far from the free place";
  while (--id > kFirst) blocks.Release(id);
  EXPECT_EQ(TheMissingContexts().no_memory.exchange(0), 2u);
}

TEST(ContextBlocksTest, ABlockThatGrowsHasTheSameContextAndIsNobodysBefore) {
  ContextBlocks& blocks = ContextBlocks::OfProcess();
  ContextBlock* const small = blocks.Attach(2001);
  ASSERT_NE(small, nullptr);
  EXPECT_EQ(small->attributes(), 36u);
  small->RecordAt(1)->own.span_id = 21;
  small->RecordAt(1)->published.attributes[35] = 35;
  small->current = &small->RecordAt(1)->published;
  small->is_exported = 1;
  const profiler_context* const others = &small->RecordAt(0)->published;
  *OwnContextSlot() = others;

  EXPECT_FALSE(blocks.Grow(2001, [&](ContextBlock*) { return false; }));
  EXPECT_EQ(TheVirtualContexts().Find(2001), small) << "nothing has changed";
  EXPECT_FALSE(blocks.Grow(2002, [](ContextBlock*) { return true; })) << "it has no block";
  EXPECT_EQ(blocks.Attach(2001), small);
  EXPECT_FALSE(blocks.Grow(2001, [](ContextBlock*) { return true; })) << "two copies write it";
  blocks.Release(2001);

  ContextBlock* grown = nullptr;
  EXPECT_TRUE(blocks.Grow(2001, [&](ContextBlock* block) {
    grown = block;
    return TheVirtualContexts().Find(2001) == small;
  }));
  ASSERT_NE(grown, small);
  EXPECT_EQ(TheVirtualContexts().Find(2001), grown);
  EXPECT_EQ(grown->attributes(), 612u);
  EXPECT_EQ(grown->virtual_thread.load(), 2001);
  EXPECT_EQ(grown->is_exported.load(), 1u);
  EXPECT_EQ(grown->current.load(), &grown->RecordAt(1)->published);
  EXPECT_EQ(grown->RecordAt(1)->own.span_id, 21);
  EXPECT_EQ(grown->RecordAt(1)->published.attributes[35], 35);
  EXPECT_EQ(small->virtual_thread.load(), 0) << "free";
  EXPECT_EQ(*OwnContextSlot(), others) << "the carrier did not show it";
  *OwnContextSlot() = nullptr;
  EXPECT_FALSE(blocks.Grow(2001, [](ContextBlock*) { return true; })) << "it is full";

  EXPECT_EQ(blocks.Attach(2003), small) << "memory is reused";
  blocks.Release(2001);
  blocks.Release(2003);
}

// Otherwise readers outside of the process see the free block until the next publication, by then
// perhaps with the context of another thread.
TEST(ContextBlocksTest, ACarrierThatShowsABlockShowsTheOneThatItHasGrownInto) {
  ContextBlocks& blocks = ContextBlocks::OfProcess();
  ContextBlock* const small = blocks.Attach(2101);
  ASSERT_NE(small, nullptr);
  small->RecordAt(0)->own.span_id = 31;
  small->current = &small->RecordAt(0)->published;
  *OwnContextSlot() = small->current;
  ContextBlock* grown = nullptr;
  EXPECT_TRUE(blocks.Grow(2101, [&](ContextBlock* block) {
    grown = block;
    return *OwnContextSlot() == &small->RecordAt(0)->published;
  }));
  EXPECT_EQ(*OwnContextSlot(), &grown->RecordAt(0)->published);
  *OwnContextSlot() = nullptr;
  blocks.Release(2101);
}

TEST(ContextBlocksTest, ThreadsThatHaveBlocksAndThoseThatComeAreToldToShowThem) {
  ContextBlocks& blocks = ContextBlocks::OfProcess();
  ContextBlock* const before = blocks.Attach(3001);
  blocks.Export();
  EXPECT_EQ(before->is_exported.load(), 1u);
  EXPECT_EQ(blocks.Attach(3002)->is_exported.load(), 1u);
  std::thread([&] {
    EXPECT_EQ(blocks.OfThisThread()->is_exported.load(), 0u) << "no virtual thread";
    blocks.EndThisThread();
  }).join();
  blocks.Release(3001);
  blocks.Release(3002);
}

TEST(TagNamesTest, AKeyIsNeverGivenToAnotherNameAndThereAre256) {
  TagNames& names = TagNames::OfProcess();
  EXPECT_EQ(names.KeyOf("local_root_span_id"), 0);
  EXPECT_EQ(names.KeyOf("tenant"), 1);
  EXPECT_EQ(names.KeyOf("route"), 2);
  EXPECT_EQ(names.KeyOf("tenant"), 1);
  for (int i = 3; i < 256; ++i) EXPECT_EQ(names.KeyOf("tag" + std::to_string(i)), i);
  EXPECT_EQ(names.KeyOf("one too many"), std::nullopt);
  EXPECT_EQ(names.KeyOf("tag255"), 255);
  EXPECT_EQ(names.All().size(), 256u);
}

}  // namespace
}  // namespace jprof
