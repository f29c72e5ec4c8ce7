#include "base/memory_reserve.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "support/sanitizer.h"

namespace jprof {
namespace {

constexpr size_t kMegabyte = size_t{1} << 20;
// Half of the size of the first region, in bytes. No heap of the C library grows by this size
// without a new mapping.
constexpr size_t kLarge = 5 * kMegabyte;

constinit MemoryReserve g_reserve;

// Makes the kernel refuse all new mappings of this process.
void RefuseMappings() {
  const rlimit none{1, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &none);
}

void AllowMappings() {
  const rlimit all{RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &all);
}

// Expects that `body` returns true. Runs it in a child process, since limits apply to a process.
template <class Body>
void ExpectTrueInChild(const Body& body) {
  if (test::kUnderSanitizer) GTEST_SKIP() << "the sanitizer's allocator ends a process instead";
  EXPECT_EXIT(exit(body() ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST(MemoryReserveTest, UsesMallocWhileMallocSucceeds) {
  MemoryReserve reserve;
  ASSERT_TRUE(reserve.Prepare().ok());
  void* const block = reserve.Allocate(100);
  void* const aligned = reserve.Allocate(100, 256);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(aligned) % 256, 0u);
  EXPECT_FALSE(reserve.IsShort());
  reserve.Free(block);
  reserve.Free(aligned);
  reserve.Free(nullptr);
}

TEST(MemoryReserveTest, ServesRefusedRequestsAndReportsShortMemory) {
  ExpectTrueInChild([] {
    if (!g_reserve.Prepare().ok()) return false;
    RefuseMappings();
    auto* const block = static_cast<char*>(g_reserve.Allocate(kLarge));
    void* const aligned = g_reserve.Allocate(2 * kMegabyte - 4096, 4096);
    if (block == nullptr || aligned == nullptr || !g_reserve.IsShort()) return false;
    memset(block, 1, kLarge);
    const bool is_aligned = reinterpret_cast<uintptr_t>(aligned) % 4096 == 0;
    g_reserve.Free(block);
    g_reserve.Free(aligned);
    return is_aligned && g_reserve.Allocate(4 * kLarge) == nullptr;
  });
}

TEST(MemoryReserveTest, AGrowingContainerCanDoubleOnceMore) {
  ExpectTrueInChild([] {
    if (!g_reserve.Prepare().ok()) return false;
    g_reserve.Free(g_reserve.Allocate(5 * kLarge));
    if (g_reserve.IsShort()) return false;
    RefuseMappings();
    return g_reserve.Allocate(10 * kLarge) != nullptr && g_reserve.IsShort();
  });
}

TEST(MemoryReserveTest, IsShortBeforeMallocFailsIfItCannotGrow) {
  ExpectTrueInChild([] {
    if (!g_reserve.Prepare().ok()) return false;
    RefuseMappings();
    void* const from_reserve = g_reserve.Allocate(2 * kMegabyte);
    return from_reserve != nullptr && g_reserve.IsShort();
  });
}

TEST(MemoryReserveTest, PrepareEndsTheShortageAndKeepsOldBlocks) {
  ExpectTrueInChild([] {
    if (!g_reserve.Prepare().ok()) return false;
    // There are more rounds than regions that the reserve can keep.
    for (int round = 0; round < 100; ++round) {
      RefuseMappings();
      auto* const kept = static_cast<char*>(g_reserve.Allocate(kLarge));
      memset(kept, round, kLarge);
      const Status refused = g_reserve.Prepare();
      if (refused.ok() || !g_reserve.IsShort()) return false;
      AllowMappings();
      if (!g_reserve.Prepare().ok() || g_reserve.IsShort()) return false;
      if (kept[0] != round || kept[kLarge - 1] != round) return false;
      g_reserve.Free(kept);
    }
    return true;
  });
}

// Names and unwind tables are permanent blocks: they outlive their recording.
TEST(MemoryReserveTest, PermanentBlocksNeverExhaustIt) {
  ExpectTrueInChild([] {
    constexpr int kRounds = 5000;
    // Bytes that are freed; one further byte stays allocated.
    constexpr size_t kRecording = 3 * kMegabyte;
    std::vector<char*> kept(kRounds);
    for (int round = 0; round < kRounds; ++round) {
      if (!g_reserve.Prepare().ok()) return false;
      RefuseMappings();
      void* const freed = g_reserve.Allocate(kRecording);
      kept[round] = static_cast<char*>(g_reserve.Allocate(1));
      if (freed == nullptr || kept[round] == nullptr) return false;
      *kept[round] = static_cast<char>(round);
      g_reserve.Free(freed);
      AllowMappings();
    }
    for (int round = 0; round < kRounds; ++round) {
      if (*kept[round] != static_cast<char>(round)) return false;
      g_reserve.Free(kept[round]);
    }
    return true;
  });
}

TEST(MemoryReserveTest, ReusesARegionWhoseBlocksAreFreed) {
  ExpectTrueInChild([] {
    if (!g_reserve.Prepare().ok()) return false;
    RefuseMappings();
    for (int round = 0; round < 1000; ++round) {
      void* const block = g_reserve.Allocate(kLarge);
      if (block == nullptr) return false;
      g_reserve.Free(block);
      if (!g_reserve.Prepare().ok()) return false;
    }
    return true;
  });
}

}  // namespace
}  // namespace jprof
