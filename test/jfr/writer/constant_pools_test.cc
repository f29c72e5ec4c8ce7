#include "jfr/writer/constant_pools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "jfr/writer/jfr_file.h"
#include "jfr/writer/jfr_writer.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class ConstantPoolsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto writer = JfrWriter::Open(folder_.File("a.jfr"), ChunkClock{});
    ASSERT_TRUE(writer.ok());
    writer_ = std::move(writer).value();
  }

  ConstantPools& pools() { return writer_->pools(); }

  void SampleOf(uint32_t thread_key, uint32_t stack_key) {
    writer_->Append(ExecutionSample{.thread_key = thread_key, .stack_key = stack_key});
  }

  uint32_t StackOf(uint32_t method_key) {
    const uint32_t key = pools().NewStackTraceKey();
    const std::array frames = {FrameConstant{.method_key = method_key}};
    pools().SetStackTrace(key, Truncated::kNo, frames);
    return key;
  }

  // Seals the open chunk and starts another one.
  void SealUnread() {
    EXPECT_TRUE(writer_->Seal(0).ok());
    EXPECT_TRUE(writer_->StartChunk(0).ok());
  }

  // Does what SealUnread does, and returns the sealed chunk.
  test::ParsedChunk Seal() {
    SealUnread();
    return test::ParseRecording(test::ReadFile(folder_.File("a.jfr"))).back();
  }

  test::TempFolder folder_;
  std::unique_ptr<JfrWriter> writer_;
};

TEST_F(ConstantPoolsTest, KeysAreDenseAndEqualForEqualContent) {
  EXPECT_EQ(pools().Symbol("a"), 1u);
  EXPECT_EQ(pools().Symbol("b"), 2u);
  EXPECT_EQ(pools().Symbol("a"), 1u);
  const uint32_t first = pools().Class({.name = "p/A"});
  EXPECT_EQ(first, 1u);
  EXPECT_EQ(pools().Class({.name = "p/A", .hidden = true}), 2u);
  EXPECT_EQ(pools().Class({.name = "p/A"}), first);
  EXPECT_EQ(pools().Method({first, "m", "()V", 1}), 1u);
  EXPECT_EQ(pools().Method({first, "m", "(I)V", 1}), 2u);
  EXPECT_EQ(pools().Method({first, "m", "()V", 1}), 1u);
}

TEST_F(ConstantPoolsTest, AChunkHoldsOnlyConstantsThatItsEventsReach) {
  pools().Class({.name = "p/Unused"});
  const uint32_t loader_class = pools().Class({.name = "p/Loader"});
  const uint32_t loader = pools().ClassLoader({loader_class, "app"});
  const uint32_t type = pools().Class({.name = "p/A", .loader_key = loader, .modifiers = 33});
  SampleOf(0, StackOf(pools().Method({type, "run", "()V", 9})));

  const test::ParsedChunk chunk = Seal();
  EXPECT_THAT(chunk.pool_order,
              ElementsAre("jdk.types.FrameType", "jdk.types.ThreadState", "jdk.types.StackTrace",
                          "jdk.types.Method", "java.lang.Class", "jdk.types.ClassLoader",
                          "jdk.types.Symbol"));
  EXPECT_THAT(chunk.pools.at("jdk.types.StackTrace"), ElementsAre(Pair(1, "false,[(#1,0,0,#17)]")));
  EXPECT_THAT(chunk.pools.at("jdk.types.Method"), ElementsAre(Pair(1, "#3,#5,#6,9,false")));
  EXPECT_THAT(chunk.pools.at("java.lang.Class"),
              ElementsAre(Pair(2, "#0,#2,#0,0,false"), Pair(3, "#1,#4,#0,33,false")));
  EXPECT_THAT(chunk.pools.at("jdk.types.ClassLoader"), ElementsAre(Pair(1, "#2,#3")));
  EXPECT_THAT(chunk.pools.at("jdk.types.Symbol"),
              ElementsAre(Pair(2, "p/Loader"), Pair(3, "app"), Pair(4, "p/A"), Pair(5, "run"),
                          Pair(6, "()V")));
}

TEST_F(ConstantPoolsTest, ALoaderAndItsClassCanReferToEachOther) {
  // The first class and the first loader both have the key 1, so each can refer to the other.
  const uint32_t type = pools().Class({.name = "p/Loader", .loader_key = 1});
  ASSERT_EQ(pools().ClassLoader({type, "self"}), 1u);
  SampleOf(0, StackOf(pools().Method({type, "run", "()V"})));
  EXPECT_EQ(Seal().pools.at("jdk.types.ClassLoader").size(), 1u);
}

TEST_F(ConstantPoolsTest, AConstantKeepsItsKeyWhileEachChunkReachesIt) {
  const auto method = [this] {
    return pools().Method({pools().Class({.name = "p/A"}), "a", "()V"});
  };
  const uint32_t first = method();
  SampleOf(7, StackOf(first));
  const test::ParsedChunk one = Seal();
  EXPECT_EQ(method(), first);
  SampleOf(7, StackOf(first));
  const test::ParsedChunk two = Seal();
  EXPECT_EQ(one.pools.at("jdk.types.Method"), two.pools.at("jdk.types.Method"));
  EXPECT_EQ(one.pools.at("jdk.types.Symbol"), two.pools.at("jdk.types.Symbol"));
}

TEST_F(ConstantPoolsTest, ForgetsUnreachedConstantsAndNeverReusesTheirKeys) {
  const uint32_t gone = pools().Method({pools().Class({.name = "p/A"}), "a", "()V"});
  SampleOf(7, StackOf(gone));
  Seal();
  const uint32_t other = pools().Method({pools().Class({.name = "p/B"}), "b", "()V"});
  SampleOf(7, StackOf(other));
  const size_t both = pools().size();
  const test::ParsedChunk two = Seal();
  EXPECT_THAT(two.pools.at("jdk.types.Method"), ElementsAre(Pair(other, "#2,#5,#3,0,false")));
  EXPECT_EQ(pools().size(), both - 4) << "method, class and two names; the descriptor is of both";
  const uint32_t back = pools().Method({pools().Class({.name = "p/A"}), "a", "()V"});
  EXPECT_GT(back, other);
  SampleOf(7, StackOf(back));
  EXPECT_THAT(Seal().pools.at("jdk.types.Method"), ElementsAre(Pair(back, "#3,#7,#3,0,false")));
}

// Every sample has a new class, and a method of this class.
TEST_F(ConstantPoolsTest, ConstantsDoNotAccumulateOverChunks) {
  for (int chunk = 0; chunk < 50; ++chunk) {
    for (int i = 0; i < 100; ++i) {
      const uint32_t type = pools().Class({.name = "p/A$" + std::to_string(chunk * 100 + i)});
      SampleOf(0, StackOf(pools().Method({type, "run", "()V"})));
    }
    SealUnread();
    EXPECT_LE(pools().size(), 100u * 3 + 2) << chunk;
  }
}

TEST_F(ConstantPoolsTest, ForgetsPlatformThreadsThatHaveEnded) {
  const auto thread = [this](uint64_t serial) {
    return pools().Thread({.serial = serial,
                           .os_tid = static_cast<int32_t>(serial % 1000 + 1),
                           .java_name = "t",
                           .java_id = static_cast<int64_t>(serial)});
  };
  const uint32_t lives = thread(1);
  for (uint64_t serial = 2; serial < 20'000; ++serial) {
    SampleOf(thread(serial), 0);
    if (serial % 100 != 0) continue;
    ASSERT_TRUE(writer_->Seal(0).ok());
    pools().KeepThreads({1});
    ASSERT_TRUE(writer_->StartChunk(0).ok());
    ASSERT_LE(pools().size(), 1u);
  }
  EXPECT_EQ(thread(1), lives) << "it has not been sampled for long";
  EXPECT_GE(thread(1001), 1u << 22) << "the tid has been another thread's key";
}

TEST_F(ConstantPoolsTest, FormerNamesOfAThreadAreForgottenWithTheirChunk) {
  const auto named = [this](const std::string& name) {
    return pools().Thread({.serial = 1, .os_tid = 5, .java_name = name, .java_id = 9});
  };
  for (int request = 0; request < 1000; ++request) {
    SampleOf(named("request " + std::to_string(request)), 0);
    if (request % 10 != 9) continue;
    EXPECT_LE(pools().size(), 2 * 10u) << "the names in this chunk, and in the one before";
    SealUnread();
  }
  const uint32_t newest = named("request 999");
  EXPECT_EQ(named("request 999"), newest);
}

TEST_F(ConstantPoolsTest, ALiveThreadKeepsItsGroupAcrossChunks) {
  const auto thread = [this] {
    const uint32_t group = pools().ThreadGroup({pools().ThreadGroup({0, "system"}), "main"});
    return pools().Thread({.serial = 1, .os_tid = 10, .java_name = "t", .group_key = group});
  };
  const uint32_t key = thread();
  SampleOf(key, 0);
  const test::ParsedChunk one = Seal();
  Seal();
  Seal();
  EXPECT_EQ(thread(), key);
  SampleOf(key, 0);
  const test::ParsedChunk four = Seal();
  EXPECT_EQ(four.pools.at("jdk.types.ThreadGroup"), one.pools.at("jdk.types.ThreadGroup"));
  EXPECT_EQ(four.pools.at("java.lang.Thread"), one.pools.at("java.lang.Thread"));
}

TEST_F(ConstantPoolsTest, StackKeysAreUniqueInTheFile) {
  EXPECT_EQ(StackOf(0), 1u);
  EXPECT_EQ(StackOf(0), 2u);
  Seal();
  EXPECT_EQ(StackOf(0), 3u);
  EXPECT_THAT(Seal().pools.at("jdk.types.StackTrace"),
              ElementsAre(Pair(3, "false,[(#0,0,0,#17)]")));
}

TEST_F(ConstantPoolsTest, AStackWithoutContentIsEmptyAndNotMissing) {
  const uint32_t missing = pools().NewStackTraceKey();
  const uint32_t present = StackOf(0);
  SampleOf(0, missing);
  EXPECT_THAT(
      Seal().pools.at("jdk.types.StackTrace"),
      UnorderedElementsAre(Pair(missing, "false,[]"), Pair(present, "false,[(#0,0,0,#17)]")));
}

TEST_F(ConstantPoolsTest, TheFirstContentOfAStackStays) {
  const uint32_t key = pools().NewStackTraceKey();
  pools().SetStackTrace(key, Truncated::kYes, {});
  pools().SetStackTrace(key, Truncated::kNo, {});
  pools().SetStackTrace(key + 1, Truncated::kNo, {});
  pools().SetStackTrace(0, Truncated::kNo, {});
  EXPECT_THAT(Seal().pools.at("jdk.types.StackTrace"), ElementsAre(Pair(key, "true,[]")));
}

TEST_F(ConstantPoolsTest, FramesKeepLineIndexAndType) {
  const uint32_t key = pools().NewStackTraceKey();
  const std::array frames = {FrameConstant{0, 12, 34, FrameType::kInterpreted},
                             FrameConstant{0, -1, -1, FrameType::kKernel}};
  pools().SetStackTrace(key, Truncated::kNo, frames);
  EXPECT_THAT(Seal().pools.at("jdk.types.StackTrace"),
              ElementsAre(Pair(key, "false,[(#0,12,34,#0)(#0,4294967295,4294967295,#5)]")));
}

TEST_F(ConstantPoolsTest, ATidIsTheKeyOfItsFirstThreadOnly) {
  const uint32_t first = pools().Thread({.serial = 1, .os_tid = 4711, .os_name = "a"});
  const uint32_t later = pools().Thread({.serial = 2, .os_tid = 4711, .os_name = "a"});
  const uint32_t other = pools().Thread({.serial = 3, .os_tid = 12, .os_name = "a"});
  EXPECT_EQ(first, 4711u);
  EXPECT_EQ(later, 1u << 22);
  EXPECT_EQ(other, 12u);
  EXPECT_EQ(pools().Thread({.serial = 1, .os_tid = 4711, .os_name = "a"}), first);
}

TEST_F(ConstantPoolsTest, ARenamedThreadGetsANewKey) {
  const ThreadConstant before{.serial = 1, .os_tid = 5, .java_name = "before", .java_id = 9};
  const ThreadConstant after{.serial = 1, .os_tid = 5, .java_name = "after", .java_id = 9};
  const uint32_t old_key = pools().Thread(before);
  const uint32_t new_key = pools().Thread(after);
  EXPECT_EQ(old_key, 5u);
  EXPECT_GE(new_key, 1u << 22);
  EXPECT_EQ(pools().Thread(before), old_key);
  SampleOf(old_key, 0);
  SampleOf(new_key, 0);
  EXPECT_THAT(Seal().pools.at("java.lang.Thread"),
              UnorderedElementsAre(Pair(old_key, ",5,before,9,#0,false"),
                                   Pair(new_key, ",5,after,9,#0,false")));
}

// Until the JVM announces a thread, the thread has only the kernel name that it has inherited from
// its creator.
TEST_F(ConstantPoolsTest, AThreadThatIsAnnouncedLateIsAJavaThreadInItsWholeFirstChunk) {
  const ThreadConstant native{.serial = 1, .os_tid = 5, .os_name = "creator"};
  const uint32_t key = pools().Thread(native);
  SampleOf(key, 0);
  const ThreadConstant java{.serial = 1,
                            .os_tid = 5,
                            .os_name = "creator",
                            .java_name = "worker",
                            .java_id = 9,
                            .group_key = pools().ThreadGroup({0, "main"})};
  EXPECT_EQ(pools().Thread(java), key);
  const test::ParsedChunk chunk = Seal();
  EXPECT_THAT(chunk.pools.at("java.lang.Thread"),
              ElementsAre(Pair(key, "creator,5,worker,9,#1,false")));
  EXPECT_THAT(chunk.pools.at("jdk.types.ThreadGroup"), ElementsAre(Pair(1, "#0,main")));
}

TEST_F(ConstantPoolsTest, AWrittenNativeThreadGetsANewKeyAsJavaThread) {
  const ThreadConstant native{.serial = 1, .os_tid = 5, .os_name = "native"};
  const uint32_t key = pools().Thread(native);
  SampleOf(key, 0);
  Seal();
  const ThreadConstant java{
      .serial = 1, .os_tid = 5, .os_name = "native", .java_name = "attached", .java_id = 9};
  EXPECT_GE(pools().Thread(java), 1u << 22);
  EXPECT_EQ(pools().Thread(native), key);
}

TEST_F(ConstantPoolsTest, AVirtualThreadNeverHasATidAsKey) {
  EXPECT_GE(pools().Thread({.serial = 1, .os_tid = 5, .java_id = 40, .is_virtual = true}),
            1u << 22);
}

TEST_F(ConstantPoolsTest, ThreadsHaveGroupsAndNativeThreadsNoJavaName) {
  const uint32_t system = pools().ThreadGroup({0, "system"});
  const uint32_t main_group = pools().ThreadGroup({system, "main"});
  pools().ThreadGroup({system, "unused"});
  const uint32_t java = pools().Thread({.serial = 1,
                                        .os_tid = 10,
                                        .os_name = "java",
                                        .java_name = "main",
                                        .java_id = 1,
                                        .group_key = main_group});
  const uint32_t native = pools().Thread({.serial = 2, .os_tid = 11, .os_name = "GC Thread#0"});
  SampleOf(java, 0);
  SampleOf(native, 0);
  const test::ParsedChunk chunk = Seal();
  EXPECT_THAT(chunk.pools.at("jdk.types.ThreadGroup"),
              ElementsAre(Pair(1, "#0,system"), Pair(2, "#1,main")));
  EXPECT_THAT(chunk.pools.at("java.lang.Thread"),
              ElementsAre(Pair(10, "java,10,main,1,#2,false"),
                          Pair(11, "GC Thread#0,11,<null>,0,#0,false")));
  EXPECT_FALSE(Seal().pools.contains("java.lang.Thread"));
}

TEST_F(ConstantPoolsTest, FrameTypesHaveTheKeysThatConvertersCompareWith) {
  EXPECT_THAT(Seal().pools.at("jdk.types.FrameType"),
              ElementsAre(Pair(0, "Interpreted"), Pair(1, "JIT compiled"), Pair(2, "Inlined"),
                          Pair(3, "Native"), Pair(4, "C++"), Pair(5, "Kernel"),
                          Pair(6, "C1 compiled"), Pair(17, "Java")));
}

TEST_F(ConstantPoolsTest, ManyStacksAreWrittenWhole) {
  constexpr uint32_t kStacks = 1'000;  // several blocks of the pool
  const uint32_t type = pools().Class({.name = "p/A"});
  std::vector<FrameConstant> frames(500);
  for (uint32_t i = 0; i < kStacks; ++i) {
    const uint32_t method = pools().Method({type, "m" + std::to_string(i), "()V"});
    for (FrameConstant& frame : frames) frame = {method, 1'000, 2'000, FrameType::kJitCompiled};
    pools().SetStackTrace(pools().NewStackTraceKey(), Truncated::kNo, frames);
  }
  const test::ParsedChunk chunk = Seal();
  EXPECT_EQ(chunk.pools.at("jdk.types.StackTrace").size(), kStacks);
  EXPECT_EQ(chunk.pools.at("jdk.types.Method").size(), kStacks);
}

TEST_F(ConstantPoolsTest, AVirtualThreadHasItsNameAtTheChunkEnd) {
  const ThreadConstant nameless{.serial = 7, .java_id = 7, .is_virtual = true};
  const ThreadConstant named{.serial = 7, .java_name = "v", .java_id = 7, .is_virtual = true};
  const ThreadConstant renamed{.serial = 7, .java_name = "w", .java_id = 7, .is_virtual = true};
  const uint32_t key = pools().Thread(nameless);
  EXPECT_EQ(pools().Thread(named), key);
  EXPECT_EQ(pools().Thread(nameless), key);
  const uint32_t other_key = pools().Thread(renamed);
  SampleOf(key, pools().NewStackTraceKey());
  SampleOf(other_key, pools().NewStackTraceKey());
  EXPECT_THAT(Seal().pools.at("java.lang.Thread"),
              UnorderedElementsAre(Pair(key, "<null>,0,v,7,#0,true"),
                                   Pair(other_key, "<null>,0,w,7,#0,true")));
}

// A program can start millions of virtual threads, one after the other.
TEST_F(ConstantPoolsTest, VirtualThreadsAreForgottenWithTheirChunk) {
  const ThreadConstant thread{.serial = 7, .java_name = "v", .java_id = 7, .is_virtual = true};
  const ThreadConstant platform{.serial = 7, .os_tid = 7, .os_name = "p"};
  const uint32_t first = pools().Thread(thread);
  EXPECT_EQ(pools().Thread(thread), first);
  EXPECT_EQ(pools().Thread(platform), 7u) << "serials of the two kinds are their own";
  SampleOf(first, pools().NewStackTraceKey());
  EXPECT_EQ(Seal().pools.at("java.lang.Thread").size(), 1u);
  const uint32_t second = pools().Thread(thread);
  EXPECT_NE(second, first);
  EXPECT_EQ(pools().Thread(platform), 7u);
  SampleOf(second, pools().NewStackTraceKey());
  EXPECT_EQ(Seal().pools.at("java.lang.Thread").size(), 1u);
}

}  // namespace
}  // namespace jprof
