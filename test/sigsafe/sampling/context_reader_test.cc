#include "sigsafe/sampling/context_reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

extern "C" {
extern
    __attribute__((tls_model("initial-exec"))) __thread const profiler_context* otel_thread_ctx_v1;
}

namespace jprof {
namespace {

constexpr uint32_t kEpoch = 7;

class ContextReaderTest : public testing::Test {
 protected:
  ContextReaderTest() : arena_(1 << 20), index_(CallTraceIndex::RegionSize(kSlots)) {
    SetContextsAreRead();
    table_.Begin(kEpoch, CallTraceIndex::In({index_.data(), index_.size()}, kSlots),
                 {arena_.data(), arena_.size()});
  }
  ~ContextReaderTest() override { SetOwnContextBlock(nullptr); }

  // Fills a record as the Java class does.
  static void Fill(ContextRecord& record, int64_t span, int64_t root, const std::string& tags = {},
                   uint8_t trace_byte = 0) {
    record.own = {span, root, static_cast<uint32_t>(tags.size()), {}};
    std::memset(record.published.trace_id, trace_byte, sizeof record.published.trace_id);
    std::memcpy(record.published.attributes, tags.data(), tags.size());
    record.published.valid = PROFILER_CONTEXT_VALID;
  }

  std::vector<uint64_t> WordsOf(uint32_t context) const {
    const CallTraceId trace{uint64_t{kEpoch} << 32 | 5};
    const CallTrace* words = table_.Find(ContextIdOf(trace, context));
    std::vector<uint64_t> values;
    for (uint32_t i = 0; words != nullptr && i < words->frame_count; ++i) {
      EXPECT_EQ(words->frames()[i].kind, FrameKind::kContext);
      values.push_back(words->frames()[i].id);
    }
    return values;
  }

  static constexpr uint32_t kSlots = 1024;

  std::vector<std::byte> arena_;
  std::vector<std::byte> index_;
  CallTraceHashTable table_;
  FullContextMemory memory_;
  ContextBlock* const block_ = &memory_.block;
};

TEST_F(ContextReaderTest, PutsThePublishedRecordOfAPlatformThread) {
  SetOwnContextBlock(block_);
  EXPECT_EQ(PutContext(table_, {}), 0u) << "no record is published";
  Fill(*block_->RecordAt(0), 11, 12);
  Fill(*block_->RecordAt(1), 21, 22);
  otel_thread_ctx_v1 = &block_->RecordAt(0)->published;
  const uint32_t first = PutContext(table_, {});
  EXPECT_EQ(WordsOf(first), (std::vector<uint64_t>{11, 12}));
  otel_thread_ctx_v1 = &block_->RecordAt(1)->published;
  EXPECT_EQ(WordsOf(PutContext(table_, {})), (std::vector<uint64_t>{21, 22}));
  otel_thread_ctx_v1 = &block_->RecordAt(0)->published;
  EXPECT_EQ(PutContext(table_, {}), first) << "one entry for equal contexts";
}

TEST_F(ContextReaderTest, IgnoresARecordOfAnotherBlock) {
  FullContextMemory memory;
  ContextBlock& other = memory.block;
  Fill(*other.RecordAt(0), 11, 12);
  SetOwnContextBlock(block_);
  otel_thread_ctx_v1 = &other.RecordAt(0)->published;
  EXPECT_EQ(PutContext(table_, {}), 0u);
}

TEST_F(ContextReaderTest, AnEndedThreadHasNoContext) {
  SetOwnContextBlock(block_);
  Fill(*block_->RecordAt(0), 11, 12);
  otel_thread_ctx_v1 = &block_->RecordAt(0)->published;
  SetOwnContextBlock(nullptr);
  EXPECT_EQ(otel_thread_ctx_v1, nullptr);
  EXPECT_EQ(PutContext(table_, {}), 0u);
}

TEST_F(ContextReaderTest, AVirtualThreadHasItsOwnContextNotItsCarriers) {
  SetOwnContextBlock(block_);
  Fill(*block_->RecordAt(0), 11, 12);
  otel_thread_ctx_v1 = &block_->RecordAt(0)->published;
  EXPECT_EQ(PutContext(table_, {.virtual_thread = 77}), 0u) << "the context is the carrier's";
  SmallContextMemory memory;
  ContextBlock& own = memory.block;
  own.virtual_thread = 77;
  Fill(*own.RecordAt(1), 71, 72);
  own.current = &own.RecordAt(1)->published;
  ASSERT_TRUE(TheVirtualContexts().Add(77, &own));
  EXPECT_EQ(WordsOf(PutContext(table_, {.virtual_thread = 77})), (std::vector<uint64_t>{71, 72}));
  EXPECT_EQ(PutContext(table_, {.virtual_thread = 78}), 0u)
      << "the context is another virtual thread's";
  own.virtual_thread = 78;  // the block now belongs to another thread
  EXPECT_EQ(PutContext(table_, {.virtual_thread = 77}), 0u);
  TheVirtualContexts().Remove(77);
}

TEST_F(ContextReaderTest, PutsTheTraceIdAndAllTagsWithTheirSize) {
  SetOwnContextBlock(block_);
  const std::string tags("\x01\x05hello\x02\x01x", 10);
  Fill(*block_->RecordAt(0), 11, 12, tags, 0xab);
  block_->RecordAt(0)->published.trace_id[0] = 0x01;
  otel_thread_ctx_v1 = &block_->RecordAt(0)->published;
  const uint32_t context = PutContext(table_, {});
  const std::vector<uint64_t> words = WordsOf(context);
  ASSERT_EQ(words.size(), size_t{kFirstTagWord + 2});
  EXPECT_EQ(words[kTraceHighWord], 0x01ababababababab);
  EXPECT_EQ(words[kTraceLowWord], 0xabababababababab);
  EXPECT_EQ(std::memcmp(&words[kFirstTagWord], tags.data(), tags.size()), 0);
  const CallTraceId trace{uint64_t{kEpoch} << 32};
  EXPECT_EQ(table_.Find(ContextIdOf(trace, context))->frames()[0].bci, 10);
}

TEST_F(ContextReaderTest, LimitsTheSizeOfTagsToThatOfTheRecord) {
  SetOwnContextBlock(block_);
  Fill(*block_->RecordAt(0), 11, 12);
  block_->RecordAt(0)->own.tags_size = 1'000'000;
  otel_thread_ctx_v1 = &block_->RecordAt(0)->published;
  EXPECT_EQ(WordsOf(PutContext(table_, {})).size(),
            size_t{kFirstTagWord} + (PROFILER_CONTEXT_ATTRIBUTES + 7) / 8);
}

TEST_F(ContextReaderTest, CountsContextsThatCannotBeReadOrStored) {
  TheMissingContexts().unknown_virtual_thread = 0;
  TheMissingContexts().no_room = 0;
  EXPECT_EQ(PutContext(table_, {.virtual_thread = 0, .is_unknown = true}), 0u);
  EXPECT_EQ(TheMissingContexts().unknown_virtual_thread.load(), 0u)
      << "no virtual thread has a context";
  ASSERT_TRUE(TheVirtualContexts().Add(77, block_));
  EXPECT_EQ(PutContext(table_, {.virtual_thread = 0, .is_unknown = true}), 0u);
  EXPECT_EQ(TheMissingContexts().unknown_virtual_thread.load(), 1u);
  SetOwnContextBlock(block_);
  Fill(*block_->RecordAt(0), 11, 12);
  otel_thread_ctx_v1 = &block_->RecordAt(0)->published;
  EXPECT_NE(PutContext(table_, {.virtual_thread = 0, .is_unknown = true}), 0u);
  EXPECT_EQ(TheMissingContexts().unknown_virtual_thread.load(), 1u)
      << "a virtual thread has a context";
  TheVirtualContexts().Remove(77);
  EXPECT_TRUE(TheVirtualContexts().IsEmpty());
  std::vector<std::byte> small(64);
  std::vector<std::byte> index(CallTraceIndex::RegionSize(kSlots));
  CallTraceHashTable full;
  full.Begin(kEpoch + 1, CallTraceIndex::In({index.data(), index.size()}, kSlots),
             {small.data(), size_t{32}});
  EXPECT_EQ(PutContext(full, {}), 0u);
  EXPECT_EQ(TheMissingContexts().no_room.load(), 1u);
}

TEST(VirtualContextsTest, FindsIdsWithTheSamePlacesUntilTheseAreFull) {
  auto contexts = std::make_unique<VirtualContexts>();
  std::vector<ContextBlock> blocks(VirtualContexts::kTries + 1);
  const auto id = [](size_t i) { return static_cast<int64_t>(5 + i * VirtualContexts::kPlaces); };
  for (size_t i = 0; i < VirtualContexts::kTries; ++i) {
    ASSERT_TRUE(contexts->Add(id(i), &blocks[i]));
  }
  EXPECT_FALSE(contexts->Add(id(VirtualContexts::kTries), &blocks.back()));
  contexts->Remove(id(3));
  EXPECT_EQ(contexts->Find(id(3)), nullptr);
  for (size_t i = 0; i < VirtualContexts::kTries; ++i) {
    if (i != 3) {
      EXPECT_EQ(contexts->Find(id(i)), &blocks[i]);
    }
  }
  EXPECT_TRUE(contexts->Add(id(VirtualContexts::kTries), &blocks.back()));
  EXPECT_EQ(contexts->Find(id(VirtualContexts::kTries)), &blocks.back());
}

// Threads that have ended but are not collected yet have consecutive ids, and so neighbouring
// places.
TEST(VirtualContextsTest, EndedThreadsWithConsecutiveIdsLeaveRoomForOthers) {
  auto contexts = std::make_unique<VirtualContexts>();
  ContextBlock block{};
  constexpr auto kPlaces = static_cast<int64_t>(VirtualContexts::kPlaces);
  for (int64_t id = 1; id < kPlaces / 4; ++id) ASSERT_TRUE(contexts->Add(id, &block));
  for (int64_t id = 1; id < kPlaces / 4; ++id) {
    ASSERT_TRUE(contexts->Add(kPlaces + id, &block)) << id;
    ASSERT_EQ(contexts->Find(kPlaces + id), &block);
    contexts->Remove(kPlaces + id);
  }
}

}  // namespace
}  // namespace jprof
