#include "engines/context/context_blocks.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "engines/context/tag_names.h"
#include "sigsafe/sampling/context_reader.h"

namespace jprof {
namespace {

// The owners of blocks are addresses of elements of this array. The Java object of an owner counts
// as gone once the element is true.
std::array<bool, 4> g_is_gone;

bool IsGone(void* owner) { return *static_cast<bool*>(owner); }

ContextBlock* Attach(int64_t virtual_thread, void* owner = g_is_gone.data()) {
  ContextBlocks& blocks = ContextBlocks::OfProcess();
  const ContextBlocks::Claim claim = blocks.ClaimBlock(virtual_thread, true, IsGone);
  if (claim.block != nullptr) {
    EXPECT_EQ(blocks.Own(virtual_thread, claim.block, owner), nullptr);
  }
  return claim.block;
}

TEST(ContextBlocksTest, APlatformThreadKeepsItsBlockUntilItEnds) {
  ContextBlock* first = nullptr;
  std::thread([&] {
    first = ContextBlocks::OfProcess().OfThisThread();
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(ContextBlocks::OfProcess().OfThisThread(), first);
    EXPECT_EQ(first->address, first);
    EXPECT_EQ(first->owner, nullptr);
    first->owner = &first;
    EXPECT_EQ(OwnContextBlock(), first);
    EXPECT_EQ(ContextBlocks::OfProcess().EndThisThread(), &first);
    EXPECT_EQ(OwnContextBlock(), nullptr);
    EXPECT_EQ(ContextBlocks::OfProcess().OfThisThread(), nullptr) << "it would never be freed";
    ContextBlocks::OfProcess().BeginThisThread();
    EXPECT_EQ(ContextBlocks::OfProcess().OfThisThread(), first) << "as a Java thread once more";
    EXPECT_EQ(ContextBlocks::OfProcess().EndThisThread(), nullptr);
  }).join();
  std::thread([&] {
    EXPECT_EQ(ContextBlocks::OfProcess().OfThisThread(), first) << "memory is reused";
    static_cast<void>(ContextBlocks::OfProcess().EndThisThread());
  }).join();
}

TEST(ContextBlocksTest, TheBlockOfAVirtualThreadHasOneOwner) {
  ContextBlocks& blocks = ContextBlocks::OfProcess();
  EXPECT_EQ(blocks.ClaimBlock(1001, false, IsGone).block, nullptr) << "it has none";
  ContextBlock* const block = Attach(1001, &g_is_gone[0]);
  ASSERT_NE(block, nullptr);
  EXPECT_NE(Attach(1002), block);
  const ContextBlocks::Claim claim = blocks.ClaimBlock(1001, false, IsGone);
  EXPECT_EQ(claim.block, block);
  EXPECT_EQ(claim.owner, &g_is_gone[0]);
  // Another caller claims the block before the first one has set an owner.
  EXPECT_EQ(blocks.ClaimBlock(1001, true, IsGone).owner, nullptr);
  EXPECT_EQ(blocks.Own(1001, block, &g_is_gone[1]), nullptr);
  EXPECT_EQ(blocks.Own(1001, block, &g_is_gone[0]), &g_is_gone[1]);
  EXPECT_EQ(block->virtual_thread.load(), 1001);
  blocks.Release(1001);
  EXPECT_EQ(TheVirtualContexts().Find(1001), nullptr);
  EXPECT_EQ(block->virtual_thread.load(), 0);
  EXPECT_EQ(blocks.Own(1001, block, &g_is_gone[0]), std::nullopt);
  EXPECT_EQ(Attach(1003), block) << "memory is reused";
  EXPECT_EQ(block->current.load(), nullptr);
  blocks.Release(1002);
  blocks.Release(1003);
}

TEST(ContextBlocksTest, NewBlocksFreeTheBlocksOfGoneOwners) {
  ContextBlocks& blocks = ContextBlocks::OfProcess();
  Attach(1101, &g_is_gone[1]);
  Attach(1102, &g_is_gone[2]);
  static_cast<void>(blocks.ClaimBlock(1103, true, IsGone));  // a block that has no owner yet
  g_is_gone[1] = true;
  for (size_t made = 0; made < VirtualContexts::kPlaces / 8; ++made) {
    ASSERT_NE(Attach(1104), nullptr);
    blocks.Release(1104);
  }
  EXPECT_EQ(TheVirtualContexts().Find(1101), nullptr);
  EXPECT_NE(TheVirtualContexts().Find(1102), nullptr);
  EXPECT_NE(TheVirtualContexts().Find(1103), nullptr);
  g_is_gone[1] = false;
  blocks.Release(1102);
  blocks.Release(1103);
}

TEST(ContextBlocksTest, AFewNewBlocksFreeAFewBlocksOfGoneOwners) {
  constexpr int64_t kFirst = 1'000'000;
  constexpr int64_t kGarbage = 100;
  ContextBlocks& blocks = ContextBlocks::OfProcess();
  // Spreads the blocks all over the table.
  for (int64_t i = 0; i < kGarbage; ++i) Attach(kFirst + i * 2621, &g_is_gone[1]);
  g_is_gone[1] = true;
  for (int made = 0; made < 2100; ++made) {
    ASSERT_NE(Attach(1204), nullptr);
    blocks.Release(1204);
  }
  g_is_gone[1] = false;
  for (int64_t i = 0; i < kGarbage; ++i) {
    EXPECT_EQ(TheVirtualContexts().Find(kFirst + i * 2621), nullptr) << i;
  }
}

TEST(ContextBlocksTest, CountsContextsForWhichTheFullTableHasNoPlace) {
  ContextBlocks& blocks = ContextBlocks::OfProcess();
  constexpr int64_t kFirst = 1'000'000;
  int64_t id = kFirst;
  while (Attach(id, &g_is_gone[3]) != nullptr) ++id;
  EXPECT_GE(id - kFirst, int64_t{VirtualContexts::kPlaces} * 9 / 10);
  EXPECT_EQ(TheMissingContexts().no_memory.exchange(0), 1u);
  g_is_gone[3] = true;
  while (Attach(id) == nullptr) std::this_thread::yield();  // at most a tenth of a second
  for (size_t made = 0; made < VirtualContexts::kPlaces / 8; ++made) {
    blocks.Release(id);
    ASSERT_NE(Attach(id), nullptr);
  }
  EXPECT_EQ(TheVirtualContexts().Find(kFirst), nullptr);
  EXPECT_EQ(TheVirtualContexts().Find(id - 1), nullptr);
  TheMissingContexts().no_memory = 0;
  g_is_gone[3] = false;
  blocks.Release(id);
}

TEST(ContextBlocksTest, ABlockThatGrowsHasTheSameContextAndOwner) {
  ContextBlocks& blocks = ContextBlocks::OfProcess();
  ContextBlock* const small = Attach(2001);
  ASSERT_NE(small, nullptr);
  EXPECT_EQ(small->attributes(), 36u);
  small->RecordAt(1)->own.span_id = 21;
  small->RecordAt(1)->published.attributes[35] = 35;
  small->current = &small->RecordAt(1)->published;
  small->is_exported = 1;
  const profiler_context* const others = &small->RecordAt(0)->published;
  *OwnContextSlot() = others;

  EXPECT_FALSE(blocks.Grow(2002, blocks.TakeFull())) << "it has no block";
  ContextBlock* const grown = blocks.TakeFull();
  ASSERT_NE(grown, nullptr);
  EXPECT_TRUE(blocks.Grow(2001, grown));
  EXPECT_EQ(TheVirtualContexts().Find(2001), grown);
  EXPECT_EQ(grown->attributes(), 612u);
  EXPECT_EQ(grown->virtual_thread.load(), 2001);
  EXPECT_EQ(grown->owner, g_is_gone.data());
  EXPECT_EQ(grown->is_exported.load(), 1u);
  EXPECT_EQ(grown->current.load(), &grown->RecordAt(1)->published);
  EXPECT_EQ(grown->RecordAt(1)->own.span_id, 21);
  EXPECT_EQ(grown->RecordAt(1)->published.attributes[35], 35);
  EXPECT_EQ(small->virtual_thread.load(), 0) << "free";
  EXPECT_EQ(*OwnContextSlot(), others) << "the carrier did not show it";
  *OwnContextSlot() = nullptr;
  EXPECT_FALSE(blocks.Grow(2001, blocks.TakeFull())) << "it is full";
  EXPECT_EQ(TheVirtualContexts().Find(2001), grown);

  EXPECT_EQ(Attach(2003), small) << "memory is reused";
  blocks.Release(2001);
  blocks.Release(2003);
}

// If the carrier's slot kept the address of the small block, readers outside the process would go
// on reading the freed small block, which might hold the context of another thread by then.
TEST(ContextBlocksTest, GrowUpdatesTheSlotOfTheCarrier) {
  ContextBlocks& blocks = ContextBlocks::OfProcess();
  ContextBlock* const small = Attach(2101);
  ASSERT_NE(small, nullptr);
  small->RecordAt(0)->own.span_id = 31;
  small->current = &small->RecordAt(0)->published;
  *OwnContextSlot() = small->current;
  ContextBlock* const grown = blocks.TakeFull();
  EXPECT_TRUE(blocks.Grow(2101, grown));
  EXPECT_EQ(*OwnContextSlot(), &grown->RecordAt(0)->published);
  *OwnContextSlot() = nullptr;
  blocks.Release(2101);
}

TEST(ContextBlocksTest, ExportAppliesToOldAndNewVirtualThreads) {
  ContextBlocks& blocks = ContextBlocks::OfProcess();
  ContextBlock* const before = Attach(3001);
  blocks.Export();
  EXPECT_EQ(before->is_exported.load(), 1u);
  EXPECT_EQ(Attach(3002)->is_exported.load(), 1u);
  std::thread([&] {
    EXPECT_EQ(blocks.OfThisThread()->is_exported.load(), 0u) << "no virtual thread";
    static_cast<void>(blocks.EndThisThread());
  }).join();
  blocks.Release(3001);
  blocks.Release(3002);
}

TEST(TagNamesTest, NeverReusesAnyOf256Keys) {
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
