#include "sigsafe/memory/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "support/guarded_page.h"
#include "support/signal_body.h"

namespace jprof {
namespace {

using test::GuardedPage;
using test::InSignal;

using Piece = std::pair<uint8_t*, size_t>;

void ExpectDisjoint(std::vector<Piece> pieces) {
  std::sort(pieces.begin(), pieces.end());
  for (size_t i = 1; i < pieces.size(); ++i) {
    ASSERT_LE(pieces[i - 1].first + pieces[i - 1].second, pieces[i].first);
  }
}

TEST(ArenaTest, PiecesAreAlignedZeroedAndDisjoint) {
  const GuardedPage page(8192);
  Arena arena(page.region());
  std::vector<Piece> pieces(20);
  bool zeroed = true;
  InSignal([&] {
    for (size_t i = 0; i < pieces.size(); ++i) {
      const size_t size = 1 + i * 7;
      auto* piece = static_cast<uint8_t*>(arena.Allocate(size));
      zeroed = zeroed && std::count(piece, piece + size, 0) == static_cast<std::ptrdiff_t>(size);
      memset(piece, 0xFF, size);
      pieces[i] = {piece, size};
    }
  });
  EXPECT_TRUE(zeroed);
  for (const auto& [piece, size] : pieces) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(piece) % 16, 0u) << size;
  }
  ExpectDisjoint(pieces);
}

TEST(ArenaTest, HandsOutExactlyTheWholeRegion) {
  const GuardedPage page(1024);
  Arena arena(page.region());
  auto* first = static_cast<char*>(arena.Allocate(1000));  // rounded to 1008
  ASSERT_NE(first, nullptr);
  auto* last = static_cast<char*>(arena.Allocate(16));
  ASSERT_NE(last, nullptr);
  memset(last, 1, 16);  // faults if `last` lies after the region
  EXPECT_EQ(arena.Allocate(1), nullptr);
  EXPECT_EQ(first + 1008, last);
}

TEST(ArenaTest, RefusesAllRequestsAfterTheFirstRefusal) {
  const GuardedPage page(1024);
  Arena arena(page.region());
  EXPECT_NE(arena.Allocate(512), nullptr);
  EXPECT_EQ(arena.Allocate(513), nullptr);
  EXPECT_EQ(arena.Allocate(16), nullptr);
  EXPECT_GE(arena.used(), arena.capacity());
}

TEST(ArenaTest, NeverYieldsMemoryOutsideTheRegion) {
  const GuardedPage page(1024);
  for (const size_t size :
       {SIZE_MAX, SIZE_MAX - 14, SIZE_MAX - 15, SIZE_MAX / 2, size_t{1} << 63}) {
    Arena arena(page.region());
    EXPECT_EQ(arena.Allocate(size), nullptr) << size;
    EXPECT_NE(arena.Allocate(1024), nullptr) << "a request that exceeds the region uses nothing up";
  }
}

TEST(ArenaTest, ConcurrentThreadsAndHandlersGetDisjointPieces) {
  constexpr int kThreads = 4;
  constexpr size_t kPieces = 2000;
  const GuardedPage page(kThreads * kPieces * 64);
  Arena arena(page.region());
  std::vector<std::vector<Piece>> taken(kThreads, std::vector<Piece>(kPieces));
  std::vector<std::thread> threads;
  for (std::vector<Piece>& mine : taken) {
    threads.emplace_back([&arena, &mine] {
      const auto take = [&](size_t i) {
        const size_t size = 1 + i % 50;
        mine[i] = {static_cast<uint8_t*>(arena.Allocate(size)), size};
      };
      for (size_t i = 0; i < kPieces; i += 2) {
        take(i);
        InSignal([&] { take(i + 1); });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<Piece> all;
  for (const std::vector<Piece>& each : taken) all.insert(all.end(), each.begin(), each.end());
  ExpectDisjoint(all);
  EXPECT_LE(arena.used(), arena.capacity());
}

}  // namespace
}  // namespace jprof
