#include "profile/analysis/blockers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profile/chunk_builder.h"
#include "profile/sample_reader.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

RecordedWait Wait(const std::string& owner, uint32_t thread, double waited_ns,
                  double stands_for_ns) {
  return {.lock_class = "app.Lock",
          .thread = thread,
          .stands_for_ns = stands_for_ns,
          .waited_ns = waited_ns,
          .owner = owner};
}

// Returns the site of a wait. `methods` are the methods of its stack ("java.lang.Thread.run"),
// outermost first.
std::string SiteOf(const std::vector<std::string>& methods) {
  profile::Profile profile;
  uint32_t node = profile::CallTree::kRoot;
  for (const std::string& text : methods) {
    const size_t dot = text.rfind('.');
    const uint32_t method = profile.MethodNumber({profile.texts.NumberOf(text.substr(0, dot)),
                                                  profile.texts.NumberOf(text.substr(dot + 1)),
                                                  profile.texts.NumberOf("()V")});
    node = profile.stacks.Child(node, profile.FrameNumber({method}));
  }
  return WaitSiteText(profile, node);
}

TEST(WaitSiteTest, IsTheCodeOfTheProgram) {
  EXPECT_EQ(SiteOf({"java.lang.Thread.run", "app.Server.serve", "java.net.Socket$In.read",
                    "sun.nio.ch.NioSocketImpl.implRead", "sun.nio.ch.NioSocketImpl.park"}),
            "app.Server.serve");
  EXPECT_EQ(SiteOf({"java.lang.VirtualThread.run", "app.Task.run",
                    "java.util.concurrent.Semaphore.acquire",
                    "java.util.concurrent.locks.LockSupport.park",
                    "java.lang.VirtualThread.yieldContinuation"}),
            "app.Task.run");
}

TEST(WaitSiteTest, IsTheWaitingCodeInTheJdksOwnThreads) {
  const std::string worker = "java.util.concurrent.ThreadPoolExecutor.getTask";
  EXPECT_EQ(
      SiteOf({"java.lang.Thread.run", "java.lang.Thread.runWith", worker,
              "java.util.concurrent.locks.LockSupport.park", "jdk.internal.misc.Unsafe.park"}),
      worker);
  EXPECT_EQ(SiteOf({"java.lang.Thread.run", "jdk.internal.misc.Unsafe.park"}),
            "jdk.internal.misc.Unsafe.park");
  EXPECT_EQ(SiteOf({}), "");
}

// Reads waits as if only one half of each wait were in the slice.
class HalvedWaits : public profile::SampleSink {
 public:
  void OnSample(const profile::Sample&) override {}
  bool WantsEvents(const profile::RecordedType& type) override { return IsOfWait(type); }
  void OnEvent(const profile::ProfileEvent& event) override {
    profile::ProfileEvent half = event;
    half.inside_ns /= 2;
    waits.push_back(WaitOf(half));
  }

  std::vector<RecordedWait> waits;
};

TEST(RecordedWaitTest, CountsThePartInTheSliceAsAWait) {
  const test::TempFolder folder;
  test::ChunkBuilder chunk;
  const test::BuiltField start = {"startTime", test::kLongId, test::kPlain, test::kTimestampId,
                                  "TICKS"};
  const auto interval = [](const char* name) {
    return test::BuiltField{name, test::kLongId, test::kPlain, test::kTimespanId, "NANOSECONDS"};
  };
  chunk.Type(20, "jdk.ThreadPark", "jdk.jfr.Event",
             {start, interval("duration"), interval("waited")});
  chunk.Event(20, [&](test::Bytes& out) {
    out.Long(chunk.start_ticks);
    out.Long(10);  // duration
    out.Long(4);   // waited
  });
  test::WriteFile(folder.File("a.jfr"), chunk.Build());
  profile::Profile profile;
  HalvedWaits halves;
  ASSERT_TRUE(ReadSamples(folder.File("a.jfr"), profile::LineNumbers::kDrop, profile, halves).ok());
  ASSERT_EQ(halves.waits.size(), 1U);
  const RecordedWait& wait = halves.waits[0];
  EXPECT_EQ(wait.stands_for_ns, 5);
  EXPECT_EQ(wait.waited_ns, 2);
  EXPECT_EQ(wait.variance(), 15);
}

class DeadlockTest : public testing::Test {
 protected:
  struct Named {
    std::string name;
    int64_t java_id;
    int64_t os_id = 11;
  };

  struct When {
    bool is_unfinished = true;
    int64_t from_ns = 10;
    uint32_t recording = 0;
  };

  void WaitsFor(const Named& blocked, const Named& owner, const When& when) {
    RecordedWait wait = Wait(owner.name, NumberOf(blocked), 10, 10);
    wait.owner_id = ThreadIdentity::Of(owner.java_id, owner.os_id);
    wait.is_unfinished = when.is_unfinished;
    wait.interval = {when.from_ns, when.from_ns + 10};
    wait.recording = when.recording;
    blockers_.Add(wait);
  }
  void WaitsFor(const Named& blocked, const Named& owner) { WaitsFor(blocked, owner, When()); }
  std::string Text() const { return blockers_.DeadlockText(profile_); }

  Blockers blockers_;

 private:
  uint32_t NumberOf(const Named& thread) {
    return profile_.ThreadNumber({.os_name = profile_.texts.NumberOf(""),
                                  .java_name = profile_.texts.NumberOf(thread.name),
                                  .os_id = thread.os_id,
                                  .java_id = thread.java_id});
  }

  profile::Profile profile_;
};

TEST_F(DeadlockTest, ThreadsThatWaitForEachOtherAreADeadlock) {
  WaitsFor({"before", 1}, {"left", 2});
  WaitsFor({"left", 2, 12}, {"right", 3});  // a virtual thread; os_id is its carrier's or 0
  WaitsFor({"right", 3}, {"left", 2});
  EXPECT_EQ(Text(), "deadlock: left waits for right, right waits for left");
}

TEST_F(DeadlockTest, WaitsThatEndedAreNoDeadlock) {
  WaitsFor({"left", 2}, {"right", 3});
  WaitsFor({"right", 3}, {"left", 2}, {.is_unfinished = false});
  EXPECT_EQ(Text(), "");
}

TEST_F(DeadlockTest, WaitsOfDifferentTimesAreNoDeadlock) {
  WaitsFor({"left", 2}, {"right", 3}, {.from_ns = 10});
  WaitsFor({"right", 3}, {"left", 2}, {.from_ns = 21});
  EXPECT_EQ(Text(), "");
  WaitsFor({"right", 3}, {"left", 2}, {.from_ns = 19});
  EXPECT_NE(Text(), "");
}

// Java's thread ids are unique within one JVM only.
TEST_F(DeadlockTest, WaitsOfDifferentRecordingsAreNoDeadlock) {
  WaitsFor({"left", 2}, {"right", 3}, {.recording = 0});
  WaitsFor({"right", 3}, {"left", 2}, {.recording = 1});
  EXPECT_EQ(Text(), "");
  WaitsFor({"right", 3}, {"left", 2}, {.recording = 0});
  EXPECT_EQ(Text(), "deadlock: left waits for right, right waits for left");
}

TEST_F(DeadlockTest, ThreadsWithTheSameNameAreDifferent) {
  WaitsFor({"worker", 1}, {"worker", 2});
  WaitsFor({"worker", 3}, {"main", 4});
  EXPECT_EQ(Text(), "");
  EXPECT_EQ(blockers_.pairs().size(), 2U);
  WaitsFor({"worker", 2}, {"worker", 1});
  EXPECT_EQ(Text(), "deadlock: worker waits for worker, worker waits for worker");
}

TEST_F(DeadlockTest, ThreadsWithoutAJavaIdAreComparedByOsId) {
  WaitsFor({"native", 0, 21}, {"native", 0, 22});
  EXPECT_EQ(Text(), "");
  WaitsFor({"native", 0, 22}, {"native", 0, 21});
  EXPECT_NE(Text(), "");
}

TEST_F(DeadlockTest, ThreadsWithoutIdsAreInNoDeadlock) {
  WaitsFor({"left", 0, 0}, {"left", 0, 0});
  EXPECT_EQ(Text(), "");
}

TEST_F(DeadlockTest, NamesTheFirstOfManyDeadlocks) {
  for (int64_t id = 1; id <= 5; id += 2) {
    WaitsFor({"left", id}, {"right", id + 1});
    WaitsFor({"right", id + 1}, {"left", id});
  }
  EXPECT_EQ(Text(), "deadlock: left waits for right, right waits for left; and 2 more deadlocks");
}

// An algorithm that follows the whole queue from each of its threads would take hours.
TEST_F(DeadlockTest, FindsALongCircleAtTheEndOfALongQueueInLinearTime) {
  constexpr int64_t kQueue = 200'000;
  constexpr int64_t kAll = 210'000;
  for (int64_t id = 1; id <= kAll; ++id) {
    WaitsFor({"t", id}, {"t", id == kAll ? kQueue + 1 : id + 1});
  }
  const std::string text = Text();
  EXPECT_TRUE(text.starts_with("deadlock: t waits for t, "));
  EXPECT_TRUE(text.ends_with(", and so on through 10000 threads"));
  EXPECT_LT(text.size(), 300U);
}

TEST(BlockersTest, WaitsAreSummedByOwnerThreadAndLock) {
  Blockers blockers;
  blockers.Add(Wait("main", 1, 30, 30));
  blockers.Add(Wait("main", 1, 4, 10));
  blockers.Add(Wait("main", 2, 50, 50));
  blockers.Add(Wait("", 1, 70, 70));
  RecordedWait last = Wait("other", 1, 80, 80);
  last.is_unfinished = true;
  blockers.Add(last);
  ASSERT_EQ(blockers.pairs().size(), 3U);
  const WaitSum& first = blockers.pairs().at({"main", {}, 1, "app.Lock"});
  EXPECT_EQ(first.time_ns, 40);
  EXPECT_EQ(first.variance, 60);  // 10 * (10 - 4): the other wait was certain to be recorded
  EXPECT_EQ(first.recorded, 2U);
  EXPECT_EQ(first.longest_ns, 30);
  EXPECT_EQ(first.unfinished, 0U);
  EXPECT_EQ(blockers.pairs().at({"main", {}, 2, "app.Lock"}).time_ns, 50);
  EXPECT_EQ(blockers.pairs().at({"other", {}, 1, "app.Lock"}).unfinished, 1U);
}

TEST(BlockersTest, CountsOtherPairsBeyondTheBound) {
  Blockers blockers(2);
  for (uint32_t thread = 1; thread <= 5; ++thread) blockers.Add(Wait("main", thread, 10, 10));
  blockers.Add(Wait("main", 2, 10, 10));
  EXPECT_EQ(blockers.pairs().size(), 2U);
  EXPECT_EQ(blockers.pairs().at({"main", {}, 2, "app.Lock"}).time_ns, 20);
  EXPECT_EQ(blockers.left_out(), 3U);
}

}  // namespace
}  // namespace jprof
