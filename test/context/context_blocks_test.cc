#include "context/context_blocks.h"

#include <gtest/gtest.h>

#include <thread>

#include "context/tag_names.h"

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
  }).join();
  EXPECT_EQ(ContextBlocks::OfProcess().OfThisThread(), first) << "memory is reused";
  ContextBlocks::OfProcess().EndThisThread();
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
