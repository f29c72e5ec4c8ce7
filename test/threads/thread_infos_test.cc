#include "threads/thread_infos.h"

#include <gtest/gtest.h>

#include <vector>

namespace jprof {
namespace {

constexpr size_t kMost = 8;

// Adds threads with the serials `first` to `last` that have ended.
void AddEnded(ThreadInfos& infos, uint32_t first, uint32_t last) {
  for (uint32_t serial = first; serial <= last; ++serial) {
    infos.Add(serial, Tid{static_cast<int32_t>(serial)});
    infos.End(serial);
  }
}

TEST(ThreadInfosTest, EndedThreadsStayUntilTheyAreForgotten) {
  ThreadInfos infos(kMost);
  AddEnded(infos, 1, 3);
  const std::vector<uint32_t> ended = infos.Ended();
  AddEnded(infos, 4, 4);
  infos.Forget(ended);
  EXPECT_EQ(infos.Find(3), nullptr);
  EXPECT_NE(infos.Find(4), nullptr);
  EXPECT_EQ(infos.Ended(), std::vector<uint32_t>{4});
}

// If the recorder's thread is blocked, no call to Forget comes.
TEST(ThreadInfosTest, BoundsEndedThreads) {
  ThreadInfos infos(kMost);
  infos.Add(1000, Tid{1000});
  AddEnded(infos, 1, 100);
  EXPECT_LE(infos.Known().size(), kMost + 1);
  EXPECT_NE(infos.Find(1000), nullptr) << "a live thread stays";
  EXPECT_NE(infos.Find(100), nullptr) << "those that ended last stay";
  EXPECT_EQ(infos.Find(1), nullptr);
}

TEST(ThreadInfosTest, ForgetsThreadsThatWereDroppedBefore) {
  ThreadInfos infos(kMost);
  AddEnded(infos, 1, 6);
  std::vector<uint32_t> ended = infos.Ended();
  AddEnded(infos, 7, 9);  // drops some of them
  ASSERT_EQ(infos.Find(1), nullptr);
  ASSERT_NE(infos.Find(6), nullptr);
  infos.Forget(ended);
  EXPECT_EQ(infos.Ended(), (std::vector<uint32_t>{7, 8, 9}));
  EXPECT_EQ(infos.Find(6), nullptr);
  ended = infos.Ended();
  AddEnded(infos, 10, 30);  // drops all of them
  const std::vector<uint32_t> kept = infos.Ended();
  infos.Forget(ended);
  EXPECT_EQ(infos.Ended(), kept);
}

}  // namespace
}  // namespace jprof
