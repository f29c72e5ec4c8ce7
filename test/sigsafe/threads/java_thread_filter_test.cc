#include "sigsafe/threads/java_thread_filter.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "os/pages.h"
#include "support/signal_body.h"

namespace jprof {
namespace {

using test::InSignal;

constexpr int32_t kTidLimit = 1 << 22;

class JavaThreadFilterTest : public testing::Test {
 protected:
  size_t ResidentPages() const {
    const auto page_size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> resident(JavaThreadFilter::kRegionSize / page_size);
    EXPECT_EQ(mincore(pages_.region().data, JavaThreadFilter::kRegionSize, resident.data()), 0);
    size_t count = 0;
    for (const unsigned char page : resident) count += page & 1u;
    return count;
  }

  Pages pages_ = std::move(Pages::Reserve(JavaThreadFilter::kRegionSize)).value();
  JavaThreadFilter filter_{pages_.region()};
};

TEST_F(JavaThreadFilterTest, KnowsLivingThreadsHoweverManyOthersStartAndEnd) {
  for (int32_t tid = 1; tid <= 200; ++tid) filter_.Set(Tid{tid});
  std::mt19937 random(1);
  for (int i = 0; i < 16'384; ++i) {
    const auto tid = static_cast<int32_t>(201 + random() % (kTidLimit - 201));
    filter_.Set(Tid{tid});
    filter_.Clear(Tid{tid});
  }
  for (int32_t tid = 1; tid <= 200; ++tid) EXPECT_TRUE(filter_.Test(Tid{tid})) << tid;
}

TEST_F(JavaThreadFilterTest, ContainsNoOtherTids) {
  std::mt19937 random(2);
  std::set<int32_t> alive;
  while (alive.size() < 4000) {
    const auto tid = static_cast<int32_t>(1 + random() % (kTidLimit - 1));
    alive.insert(tid);
    filter_.Set(Tid{tid});
  }
  int32_t wrong = 0;
  for (int32_t tid = 0; tid < kTidLimit; ++tid) {
    wrong += filter_.Test(Tid{tid}) == (alive.count(tid) != 0) ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0);
}

TEST_F(JavaThreadFilterTest, AnInvalidTidIsNeverAJavaThread) {
  for (const int32_t tid : {0, -1, INT32_MIN, kTidLimit, INT32_MAX}) {
    filter_.Set(Tid{tid});
    EXPECT_FALSE(filter_.Test(Tid{tid})) << tid;
    filter_.Clear(Tid{tid});
  }
  for (const int32_t tid : {1, kTidLimit - 1}) {
    filter_.Set(Tid{tid});
    EXPECT_TRUE(filter_.Test(Tid{tid})) << tid;
  }
}

TEST_F(JavaThreadFilterTest, OnlyPagesOfTidsThatWereSetCostMemory) {
  madvise(pages_.region().data, pages_.region().size, MADV_NOHUGEPAGE);
  for (int32_t tid = 1; tid <= 30'000; ++tid) filter_.Set(Tid{tid});
  EXPECT_EQ(ResidentPages(), 1u);  // 32768 tids with 4 KiB pages, more with larger ones
}

TEST_F(JavaThreadFilterTest, ClearAllForgetsEveryThread) {
  for (int32_t tid = 1; tid < kTidLimit; tid += 1000) filter_.Set(Tid{tid});
  filter_.ClearAll();
  for (int32_t tid = 1; tid < kTidLimit; tid += 1000) ASSERT_FALSE(filter_.Test(Tid{tid}));
}

TEST_F(JavaThreadFilterTest, ConcurrentThreadsDoNotDisturbEachOther) {
  std::vector<std::thread> threads;
  for (int32_t own = 1; own <= 8; ++own) {
    threads.emplace_back([this, own] {
      for (int round = 0; round < 1000; ++round) {
        for (int32_t tid = own; tid < 160; tid += 8) {
          filter_.Set(Tid{tid});
          EXPECT_TRUE(filter_.Test(Tid{tid}));
          filter_.Clear(Tid{tid});
          EXPECT_FALSE(filter_.Test(Tid{tid}));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(JavaThreadFilterTest, AHandlerCanTestAndSet) {
  filter_.Set(Tid{77});
  bool known = false;
  bool unknown = true;
  InSignal([&] {
    known = filter_.Test(Tid{77});
    unknown = filter_.Test(Tid{78});
    filter_.Set(Tid{79});
    filter_.Clear(Tid{77});
  });
  EXPECT_TRUE(known);
  EXPECT_FALSE(unknown);
  EXPECT_TRUE(filter_.Test(Tid{79}));
  EXPECT_FALSE(filter_.Test(Tid{77}));
}

}  // namespace
}  // namespace jprof
